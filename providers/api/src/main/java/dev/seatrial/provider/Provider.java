package dev.seatrial.provider;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.joda.money.Money;

/**
 * One vendor account. Implementations are thread-safe and hold no state about leases.
 *
 * <p>Unless stated otherwise a method throws {@link ProviderException} when it has no trustworthy answer: an error body
 * with status 200, HTML, an empty body or a cut-off document is an error, never "nothing there".
 */
public interface Provider {
    ProviderId id();

    /** Traits of the vendor; constant for the life of the object. */
    Capabilities capabilities();

    /** Cheap read that shows the credentials work. {@link ErrorKind#AUTH} for a bad key, {@link ErrorKind#PERMISSION} for a missing right. */
    Account verify();

    /** Every matching offer of every region, or throws. */
    List<Offer> offers(OfferQuery query);

    /** Every image that this offer can start, or throws. */
    List<Image> images(OfferId offer);

    /** Makes the key usable for a create. Idempotent: the same key under the same name gives the same reference. */
    KeyRef ensureSshKey(LeaseName name, PublicKey key);

    /** Sends at most one create request. Never retried inside. */
    CreateOutcome create(CreateRequest request);

    /** Empty only when the vendor positively says that there is no such instance. */
    Optional<Instance> get(InstanceId id);

    /** Every page of every region in use, or throws; never partial. */
    List<Instance> list();

    /** Asks for deletion, with whatever the vendor wants done first. Safe to call again. */
    ReleaseOutcome release(InstanceId id);

    /** Arms, or moves nearer, the vendor's own deletion. */
    DeadlineOutcome armDeadline(InstanceId id, Instant at);

    /** All of ours by name prefix, or throws. */
    List<DependentResource> dependentResources();

    /** Deletes a dependent resource. One that is gone already is success. */
    void release(DependentResource resource);

    /** Prepaid balance; empty when the vendor has none or does not tell. */
    Optional<Money> balance();

    /** What the vendor says this instance has cost; empty when it does not tell. */
    Optional<Charge> cost(InstanceId id);
}
