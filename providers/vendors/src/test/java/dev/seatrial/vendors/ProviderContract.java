package dev.seatrial.vendors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.CreateRequest;
import dev.seatrial.provider.DeadlineOutcome;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.Instance;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.InstanceState;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.Offer;
import dev.seatrial.provider.OfferQuery;
import dev.seatrial.provider.Provider;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ReleaseOutcome;
import dev.seatrial.vendors.VendorDouble.Call;
import dev.seatrial.vendors.VendorDouble.Mishap;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What every vendor's adapter must keep, whatever its vendor does. A subclass brings the vendor. */
public abstract class ProviderContract {
    private static final InstanceId NOBODY = new InstanceId("31415926");

    private VendorDouble vendor;
    private Provider provider;

    /** A fresh vendor in good health. */
    protected abstract VendorDouble vendor();

    @BeforeEach
    void open() {
        vendor = vendor();
        provider = vendor.provider();
    }

    @AfterEach
    void close() {
        vendor.close();
    }

    @Test
    void whatIsCreatedIsListedFoundAndCanBeReleased() {
        CreateRequest request = vendor.request(1);
        InstanceId id = created(request);

        assertThat(provider.list())
                .extracting(Instance::name)
                .containsExactly(request.name().text());
        assertThat(provider.get(id))
                .get()
                .extracting(Instance::name)
                .isEqualTo(request.name().text());

        vendor.advance(provider.capabilities().provisioning());
        Instance up = provider.get(id).orElseThrow();
        assertThat(up.state()).isEqualTo(InstanceState.RUNNING);
        assertThat(up.ssh()).isPresent();
        if (vendor.pricesInstances()) {
            assertThat(up.hourly()).contains(offer(request).pricing().hourly());
        }

        assertThat(provider.release(id)).isInstanceOf(ReleaseOutcome.Accepted.class);
        vendor.advance(provider.capabilities().releaseAllowance());
        assertThat(gone(id)).isTrue();
        assertThat(provider.list()).noneMatch(i -> i.state().maybeBilling());
        assertThat(vendor.living()).isEmpty();
    }

    @Test
    void theSameTokenNeverMakesASecondInstance() {
        assumeTrue(provider.capabilities().idempotencyToken());
        InstanceId first = created(vendor.request(1));
        assertThat(provider.create(vendor.request(1))).isEqualTo(new CreateOutcome.Created(first));
        assertThat(vendor.created()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Mishap.class,
            names = {
                "ANSWER_LOST",
                "ERROR_AFTER_EFFECT",
                "HTML",
                "EMPTY_BODY",
                "HALF_A_DOCUMENT",
                "CUT_CONNECTION",
                "ODD_SHAPE",
                "ERROR_UNDER_200",
                "DROPPED",
                "UNAVAILABLE"
            })
    void aCreateWithoutAReadableAnswerIsUnknownAndIsSentOnce(Mishap mishap) {
        assumeTrue(vendor.can(Call.CREATE, mishap));
        vendor.on(Call.CREATE, 1, mishap);
        CreateRequest request = vendor.request(1);

        CreateOutcome outcome = provider.create(request);

        // Some answers are cut after the id: then it may be told, but the outcome is still not a certain one.
        assertThat(outcome).isInstanceOf(CreateOutcome.Unknown.class);
        assertThat(vendor.created()).isLessThanOrEqualTo(1);
        List<String> shown = provider.list().stream().map(Instance::name).toList();
        assertThat(shown).isEqualTo(vendor.living());
    }

    @Test
    void aLostAnswerIsFoundByName() {
        vendor.on(Call.CREATE, 1, Mishap.ANSWER_LOST);
        CreateRequest request = vendor.request(1);
        assertThat(provider.create(request)).isInstanceOf(CreateOutcome.Unknown.class);
        assertThat(provider.list())
                .filteredOn(i -> i.name().equals(request.name().text()))
                .hasSize(1);
        assertThat(LeaseName.parse(provider.list().get(0).name())).contains(request.name());
    }

    @Test
    void aCreateThatCannotReachTheVendorIsProvablyNotCreated() {
        Provider unreachable = vendor.provider();
        CreateRequest request = vendor.request(1);
        vendor.close();
        CreateOutcome outcome = unreachable.create(request);
        assertThat(outcome).isInstanceOfSatisfying(CreateOutcome.NotCreated.class, no -> assertThat(no.kind())
                .isEqualTo(ErrorKind.VENDOR_UNAVAILABLE));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void aRefusedCreateSaysWhyInTheVendorsWords(Mishap mishap, ErrorKind kind) {
        assumeTrue(vendor.can(Call.CREATE, mishap));
        vendor.on(Call.CREATE, 1, mishap);
        CreateOutcome outcome = provider.create(vendor.request(1));
        assertThat(outcome).isInstanceOfSatisfying(CreateOutcome.NotCreated.class, no -> {
            assertThat(no.kind()).isEqualTo(kind);
            assertThat(no.words()).isNotBlank();
            assertThat(no.id()).isEmpty();
        });
        assertThat(vendor.created()).isZero();
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of(Mishap.NO_CAPACITY, ErrorKind.NO_CAPACITY),
                Arguments.of(Mishap.QUOTA, ErrorKind.QUOTA),
                Arguments.of(Mishap.NO_FUNDS, ErrorKind.INSUFFICIENT_FUNDS));
    }

    @Test
    void anIdThatComesWithARefusalIsHandedOn() {
        assumeTrue(vendor.can(Call.CREATE, Mishap.REFUSED_WITH_ID));
        vendor.on(Call.CREATE, 1, Mishap.REFUSED_WITH_ID);
        CreateOutcome outcome = provider.create(vendor.request(1));
        assertThat(outcome).isInstanceOfSatisfying(CreateOutcome.NotCreated.class, no -> {
            InstanceId id = no.id().orElseThrow();
            assertThat(provider.release(id)).isInstanceOf(ReleaseOutcome.Accepted.class);
        });
    }

    @Test
    void everyPageIsRead() {
        int wanted = vendor.pageSize() == 0 ? 3 : vendor.pageSize() * 2 + 1;
        for (int i = 1; i <= wanted; i++) {
            created(vendor.request(i));
        }
        assertThat(provider.list()).hasSize(wanted).extracting(Instance::id).doesNotHaveDuplicates();
        assertThat(provider.list()).extracting(Instance::name).containsExactlyInAnyOrderElementsOf(vendor.living());
    }

    @ParameterizedTest
    @EnumSource(
            value = Mishap.class,
            names = {
                "HTML",
                "EMPTY_BODY",
                "HALF_A_DOCUMENT",
                "CUT_CONNECTION",
                "ERROR_UNDER_200",
                "ODD_SHAPE",
                "DROPPED",
                "UNAVAILABLE",
                "THROTTLED"
            })
    void anUnreadableAnswerNeverMeansThatNothingIsThere(Mishap mishap) {
        InstanceId id = created(vendor.request(1));
        for (Call call : List.of(Call.LIST, Call.GET, Call.ACCOUNT, Call.OFFERS)) {
            if (!vendor.can(call, mishap)) {
                continue;
            }
            vendor.on(call, 1, mishap);
            ProviderException e = catchThrowableOfType(
                    ProviderException.class, () -> ask(call, id).accept(provider));
            assertThat(e).as("%s %s", call, mishap).isNotNull();
            assertThat(e.kind())
                    .as("%s %s", call, mishap)
                    .isIn(ErrorKind.PROTOCOL, ErrorKind.VENDOR_UNAVAILABLE, ErrorKind.RATE_LIMITED);
        }
    }

    private static Consumer<Provider> ask(Call call, InstanceId id) {
        return switch (call) {
            case LIST -> Provider::list;
            case GET -> p -> p.get(id);
            case ACCOUNT -> Provider::verify;
            case OFFERS -> p -> p.offers(OfferQuery.ALL);
            case CREATE, RELEASE -> throw new IllegalArgumentException("not a read");
        };
    }

    @ParameterizedTest
    @EnumSource(
            value = Mishap.class,
            names = {"HALF_A_DOCUMENT", "ODD_SHAPE", "UNAVAILABLE", "DROPPED"})
    void aBrokenPageBreaksTheWholeList(Mishap mishap) {
        assumeTrue(vendor.pageSize() > 0);
        for (int i = 1; i <= vendor.pageSize() + 1; i++) {
            created(vendor.request(i));
        }
        vendor.on(Call.LIST, 2, mishap);
        assertThatThrownBy(() -> provider.list()).isInstanceOf(ProviderException.class);
    }

    @Test
    void releasingTwiceDoesNoHarm() {
        InstanceId id = created(vendor.request(1));
        InstanceId other = created(vendor.request(2));
        assertThat(provider.release(id)).isInstanceOf(ReleaseOutcome.Accepted.class);
        assertThat(provider.release(id))
                .isInstanceOfAny(
                        ReleaseOutcome.Accepted.class,
                        ReleaseOutcome.AlreadyGone.class,
                        ReleaseOutcome.RetryLater.class);
        vendor.advance(provider.capabilities().releaseAllowance());
        assertThat(provider.release(id)).isInstanceOf(ReleaseOutcome.AlreadyGone.class);
        assertThat(vendor.living()).containsExactly(vendor.request(2).name().text());
        assertThat(provider.get(other)).isPresent();
    }

    @Test
    void whatNeverExistedIsGone() {
        assertThat(provider.get(NOBODY)).isEmpty();
        assertThat(provider.release(NOBODY)).isInstanceOf(ReleaseOutcome.AlreadyGone.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = Mishap.class,
            names = {"HTML", "UNAVAILABLE", "DROPPED", "ODD_SHAPE", "ERROR_UNDER_200"})
    void aBrokenAnswerToAReleaseIsNoProof(Mishap mishap) {
        assumeTrue(vendor.can(Call.RELEASE, mishap));
        InstanceId id = created(vendor.request(1));
        vendor.on(Call.RELEASE, 1, mishap);
        ReleaseOutcome outcome = provider.release(id);
        assertThat(outcome).isNotInstanceOf(ReleaseOutcome.AlreadyGone.class);
        assertThat(provider.get(id)).isPresent();
    }

    @Test
    void aRefusedReleaseIsTriedAgainUntilItIsTaken() {
        assumeTrue(vendor.can(Call.RELEASE, Mishap.REFUSED));
        InstanceId id = created(vendor.request(1));
        vendor.on(Call.RELEASE, 1, Mishap.REFUSED);
        assertThat(provider.release(id)).isInstanceOfSatisfying(ReleaseOutcome.RetryLater.class, later -> {
            assertThat(later.after()).isPositive();
            assertThat(later.why()).isNotBlank();
        });
        assertThat(vendor.living()).hasSize(1);
        vendor.advance(Duration.ofSeconds(11));
        assertThat(provider.release(id)).isInstanceOf(ReleaseOutcome.Accepted.class);
    }

    @Test
    void throttlingTellsHowLongToWait() {
        InstanceId id = created(vendor.request(1));
        vendor.on(Call.LIST, 1, Mishap.THROTTLED);
        ProviderException list = catchThrowableOfType(ProviderException.class, () -> provider.list());
        assertThat(list.kind()).isEqualTo(ErrorKind.RATE_LIMITED);
        assertThat(list.retryAfter()).contains(vendor.throttle());

        vendor.on(Call.RELEASE, 1, Mishap.THROTTLED);
        assertThat(provider.release(id))
                .isInstanceOfSatisfying(ReleaseOutcome.RetryLater.class, later -> assertThat(later.after())
                        .isEqualTo(vendor.throttle()));

        vendor.on(Call.CREATE, 1, Mishap.THROTTLED);
        assertThat(provider.create(vendor.request(2))).isInstanceOfSatisfying(CreateOutcome.NotCreated.class, no -> {
            assertThat(no.kind()).isEqualTo(ErrorKind.RATE_LIMITED);
            assertThat(no.retryAfter()).contains(vendor.throttle());
        });
    }

    @Test
    void aBadKeyIsTold() {
        Provider stranger = vendor.provider("wrong-key-000000");
        assertThat(kindOf(stranger::verify)).isEqualTo(ErrorKind.AUTH);
        assertThat(kindOf(stranger::list)).isEqualTo(ErrorKind.AUTH);
        assertThat(stranger.create(vendor.request(1)))
                .isInstanceOfSatisfying(CreateOutcome.NotCreated.class, no -> assertThat(no.kind())
                        .isEqualTo(ErrorKind.AUTH));
        // A reader without credentials must not conclude that an instance is gone.
        assertThat(kindOf(() -> stranger.get(NOBODY))).isEqualTo(ErrorKind.AUTH);
        assertThat(stranger.release(NOBODY)).isInstanceOf(ReleaseOutcome.Failed.class);
    }

    @Test
    void aNewInstanceMayBeMissingFromReadsForAWhile() {
        assumeTrue(vendor.can(Call.CREATE, Mishap.HIDDEN));
        vendor.on(Call.CREATE, 1, Mishap.HIDDEN);
        InstanceId id = created(vendor.request(1));
        assertThat(provider.list()).isEmpty();
        assertThat(vendor.living()).hasSize(1);
        vendor.advance(Duration.ofSeconds(11));
        assertThat(provider.list()).hasSize(1);
        assertThat(provider.get(id)).isPresent();
    }

    @Test
    void anUnknownStateCountsAsBilling() {
        assumeTrue(vendor.can(Call.GET, Mishap.UNKNOWN_WORD));
        InstanceId id = created(vendor.request(1));
        vendor.on(Call.GET, 1, Mishap.UNKNOWN_WORD);
        Instance odd = provider.get(id).orElseThrow();
        assertThat(odd.state()).isEqualTo(InstanceState.UNKNOWN);
        assertThat(odd.state().maybeBilling()).isTrue();
        assertThat(odd.vendorState()).isNotBlank();
    }

    @Test
    void idsAreTextWhateverTheirType() {
        assumeTrue(vendor.can(Call.LIST, Mishap.NUMBER_IDS));
        InstanceId id = created(vendor.request(1));
        vendor.on(Call.LIST, 1, Mishap.NUMBER_IDS);
        assertThat(provider.list()).extracting(Instance::id).containsExactly(id);
    }

    @Test
    void thePriceIsReadBackFromTheInstance() {
        assumeTrue(vendor.can(Call.CREATE, Mishap.DEARER));
        vendor.on(Call.CREATE, 1, Mishap.DEARER);
        CreateRequest request = vendor.request(1);
        InstanceId id = created(request);
        assertThat(provider.get(id).orElseThrow().hourly()).get().satisfies(price -> assertThat(price)
                .isGreaterThan(offer(request).pricing().hourly()));
    }

    @Test
    void offersCanBeChosenFrom() {
        List<Offer> all = provider.offers(OfferQuery.ALL);
        assertThat(all).isNotEmpty().allSatisfy(offer -> {
            assertThat(offer.provider()).isEqualTo(provider.id());
            assertThat(offer.pricing().hourly().isPositive()).isTrue();
            assertThat(offer.region()).isNotBlank();
        });
        Offer one = all.get(0);
        OfferQuery query =
                new OfferQuery(Optional.of(one.gpu()), OptionalInt.of(one.gpuCount()), Optional.of(one.region()));
        assertThat(provider.offers(query)).contains(one).allMatch(query::matches);
        assertThat(provider.images(one.id())).isNotEmpty();
    }

    @Test
    void keysAreRegisteredOnceAndCanBeRemoved() {
        assumeTrue(provider.capabilities().keyRegistry());
        CreateRequest request = vendor.request(1);
        assertThat(provider.ensureSshKey(request.name(), request.publicKey()))
                .isEqualTo(provider.ensureSshKey(request.name(), request.publicKey()));
        assertThat(provider.dependentResources()).hasSize(1);
        provider.dependentResources().forEach(resource -> {
            provider.release(resource);
            provider.release(resource);
        });
        assertThat(provider.dependentResources()).isEmpty();
    }

    @Test
    void theVendorsOwnDeletionEndsTheBillAlone() {
        assumeTrue(provider.capabilities().serverDeadline().isPresent());
        InstanceId id = created(vendor.request(1));
        Instant soon = vendor.request(1).name().deadline().minusSeconds(600);
        DeadlineOutcome outcome = provider.armDeadline(id, soon);
        assertThat(outcome).isInstanceOfSatisfying(DeadlineOutcome.Armed.class, armed -> assertThat(armed.at())
                .isAfterOrEqualTo(soon));
        assertThat(provider.armDeadline(id, soon.plusSeconds(300)))
                .as("a deadline is never moved away")
                .isEqualTo(outcome);
        vendor.advance(Duration.ofHours(2));
        assertThat(vendor.living()).isEmpty();
        assertThat(gone(id)).isTrue();
    }

    @Test
    void secretsStayOut() {
        vendor.on(Call.LIST, 1, Mishap.ERROR_UNDER_200);
        vendor.on(Call.CREATE, 1, Mishap.ERROR_AFTER_EFFECT);
        ProviderException e = catchThrowableOfType(ProviderException.class, () -> provider.list());
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        assertThat(trace.toString() + provider.create(vendor.request(1)) + provider)
                .doesNotContain(vendor.key());
    }

    private InstanceId created(CreateRequest request) {
        CreateOutcome outcome = provider.create(request);
        assertThat(outcome).isInstanceOf(CreateOutcome.Created.class);
        return ((CreateOutcome.Created) outcome).id();
    }

    private boolean gone(InstanceId id) {
        return provider.get(id).filter(i -> i.state().maybeBilling()).isEmpty();
    }

    private Offer offer(CreateRequest request) {
        return provider.offers(OfferQuery.ALL).stream()
                .filter(o -> o.id().equals(request.offer()))
                .findFirst()
                .orElseThrow();
    }

    private static ErrorKind kindOf(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(ProviderException.class, call).kind();
    }
}
