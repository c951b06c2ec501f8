package dev.seatrial.app.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.LeaseChange;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.provider.DependentResource;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ReleaseOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Laws 3, 4 and 6. */
class ReleaserTest {
    @TempDir
    Path home;

    private LeaseBench bench;
    private ScriptedVendor vendor;

    @BeforeEach
    void open() {
        bench = new LeaseBench(home);
        vendor = bench.vendor;
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void goneIsProvenByTwoLooksApartAndPaidToTheFirstOfThem() {
        LeaseRow lease = bench.ready();
        ReleaseStep first = bench.step(lease);
        assertThat(first).isInstanceOf(ReleaseStep.NotYetGone.class);
        Instant absent = bench.now();
        assertThat(bench.step(lease)).as("at once again").isInstanceOf(ReleaseStep.NotYetGone.class);
        bench.pass(Duration.ofSeconds(2));
        assertThat(bench.step(lease)).isEqualTo(new ReleaseStep.Gone(absent));

        LeaseRow closed = bench.row(lease.id());
        assertThat(closed.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(closed.releasedAt()).contains(absent);
        assertThat(closed.releaseAskedAt()).isPresent();
        assertThat(closed.costInPlan()).contains(BigMoney.parse("CNY 0.600000"));
        assertThat(vendor.sent("release")).containsExactly("release i-1");
        assertThat(bench.forgotten).containsExactly(lease.id());
        assertThat(bench.step(lease)).as("again, when closed").isEqualTo(new ReleaseStep.Gone(absent));
        assertThat(vendor.sent("release")).hasSize(1);
    }

    @Test
    void anEmptyListFromBeforeTheInstanceWasSeenProvesNothing() {
        LeaseRow lease = bench.lease(LeaseState.CREATING, LeaseState.SUSPECT);
        bench.ledger.leaseEvent(lease.id(), LeaseEvent.ABSENT, "while its outcome was unknown", bench.now());
        LeaseRow adopted = bench.ledger
                .move(
                        lease.id(),
                        lease.fence(),
                        LeaseState.PROVISIONING,
                        LeaseChange.NONE.withInstance(
                                vendor.add("i-1", lease.name().text())),
                        "adopted",
                        bench.now())
                .orElseThrow();
        bench.pass(Duration.ofMinutes(5));

        assertThat(bench.step(adopted)).as("one empty list").isInstanceOf(ReleaseStep.NotYetGone.class);
        assertThat(bench.row(lease.id()).state()).isEqualTo(LeaseState.RELEASING);
        bench.untilGone(adopted);
        assertThat(bench.row(lease.id()).costInPlan().orElseThrow())
                .as("paid for until it went, not until the list from before")
                .isGreaterThanOrEqualTo(BigMoney.parse("CNY 3.00"));
    }

    @Test
    void absentThenThereAgainBeginsTheProofAnew() {
        LeaseRow lease = bench.ready();
        InstanceId id = new InstanceId("i-1");
        vendor.releases.add(new ReleaseOutcome.Accepted());
        vendor.hidden.add(id);
        bench.step(lease);
        bench.pass(Duration.ofSeconds(10));
        vendor.hidden.clear();
        vendor.releases.add(new ReleaseOutcome.Accepted());
        assertThat(bench.step(lease)).isInstanceOf(ReleaseStep.NotYetGone.class);
        bench.pass(Duration.ofSeconds(10));
        vendor.instances.clear();

        assertThat(bench.step(lease)).as("first look since").isInstanceOf(ReleaseStep.NotYetGone.class);
        bench.pass(Duration.ofSeconds(10));
        assertThat(bench.step(lease)).isInstanceOf(ReleaseStep.Gone.class);
    }

    @Test
    void aVendorThatCannotBeReadNeverClosesALease() {
        LeaseRow lease = bench.ready();
        vendor.away = Optional.of(new ProviderException(
                ErrorKind.VENDOR_UNAVAILABLE, "502 Bad Gateway", Optional.of(Duration.ofSeconds(17)), null));
        for (int i = 0; i < 30; i++) {
            ReleaseStep step = bench.step(lease);
            assertThat(step).isInstanceOf(ReleaseStep.NotYetGone.class);
            ReleaseStep.NotYetGone later = (ReleaseStep.NotYetGone) step;
            assertThat(later.why()).contains("502 Bad Gateway");
            assertThat(later.after()).as("as long as the vendor asks").isEqualTo(Duration.ofSeconds(17));
            bench.pass(Duration.ofMinutes(10));
        }
        assertThat(bench.row(lease.id()).state())
                .as("past what its money covers")
                .isEqualTo(LeaseState.OVERDUE);
        vendor.away = Optional.empty();
        bench.untilGone(lease);
        assertThat(bench.row(lease.id()).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(bench.row(lease.id()).overrunInPlan().isPositive()).isTrue();
        assertThat(bench.row(lease.id()).costInPlan()).contains(lease.reservedInPlan());
    }

    @Test
    void aRefusedReleaseIsAskedAgainUntilItIsTakenAndEvenWhenItDidNothing() {
        LeaseRow lease = bench.ready();
        vendor.releases.add(new ReleaseOutcome.RetryLater("still provisioning", Duration.ofSeconds(20)));
        vendor.releases.add(new ReleaseOutcome.Failed(ErrorKind.PERMISSION, "ask your administrator"));
        vendor.releases.add(new ReleaseOutcome.Accepted());

        ReleaseStep.NotYetGone refused = (ReleaseStep.NotYetGone) bench.step(lease);
        assertThat(refused.why()).contains("still provisioning");
        assertThat(refused.after()).isEqualTo(Duration.ofSeconds(20));
        bench.pass(refused.after());
        assertThat(((ReleaseStep.NotYetGone) bench.step(lease)).why()).contains("ask your administrator");
        Duration took = bench.untilGone(lease);
        assertThat(vendor.sent("release"))
                .as("the third was taken and did nothing")
                .hasSizeGreaterThanOrEqualTo(4);
        assertThat(took).isLessThan(Duration.ofMinutes(1));
        assertThat(bench.row(lease.id()).state()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void withoutALedgerTheReleaseIsSentByIdAndByName() {
        LeaseRow lease = bench.ready();
        vendor.add("i-2", lease.name().text());
        Ledger away = BrokenLedger.around(bench.ledger, method -> true);
        ReleaseStep step = bench.releaser(away).step(bench.handle(lease), "test");

        assertThat(((ReleaseStep.NotYetGone) step).why()).contains("the disk is full");
        assertThat(vendor.instances).as("both are gone at the vendor").isEmpty();
        assertThat(bench.row(lease.id()).state())
                .as("and still open in the ledger")
                .isEqualTo(LeaseState.READY);
        bench.untilGone(lease);
        assertThat(bench.row(lease.id()).state()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aLedgerThatCanOnlyBeReadDoesNotKeepAReleaseBack() {
        LeaseRow lease = bench.ready();
        Ledger full = BrokenLedger.around(bench.ledger, method -> method.equals("move") || method.equals("leaseEvent"));
        assertThat(bench.releaser(full).step(bench.handle(lease), "test")).isInstanceOf(ReleaseStep.NotYetGone.class);
        assertThat(vendor.instances).isEmpty();
    }

    @Test
    void aLeaseForWhichNothingWasSentClosesWithoutACall() {
        LeaseRow lease = bench.intended();
        assertThat(bench.step(lease)).isInstanceOf(ReleaseStep.Gone.class);
        assertThat(bench.row(lease.id()).state()).isEqualTo(LeaseState.NOT_CREATED);
        assertThat(vendor.calls).isEmpty();
    }

    @Test
    void aCreateOfADeadOwnerCanTakeEffectUntilTheSettleWindowFromNowIsOver() {
        LeaseRow lease = bench.lease(LeaseState.CREATING);
        bench.pass(Duration.ofHours(1));
        Instant taken = bench.now();
        bench.step(lease);
        assertThat(bench.row(lease.id()).sentAt()).contains(taken);
        bench.pass(ScriptedVendor.SETTLE.minusSeconds(1));
        assertThat(bench.step(lease)).isInstanceOf(ReleaseStep.NotYetGone.class);
        bench.pass(Duration.ofSeconds(2));
        assertThat(bench.step(lease)).isInstanceOf(ReleaseStep.Gone.class);
        assertThat(bench.row(lease.id()).state()).isEqualTo(LeaseState.NOT_CREATED);
        assertThat(bench.row(lease.id()).costInPlan().orElseThrow().isZero()).isTrue();
    }

    @Test
    void whatACreateBroughtLateIsReleasedAndPaid() {
        LeaseRow lease = bench.lease(LeaseState.CREATING);
        bench.step(lease);
        bench.pass(Duration.ofSeconds(20));
        vendor.add("i-9", lease.name().text());
        bench.step(lease);
        assertThat(vendor.sent("release")).containsExactly("release i-9");
        bench.untilGone(lease);
        assertThat(bench.row(lease.id()).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(bench.row(lease.id()).instance()).contains(new InstanceId("i-9"));
        assertThat(bench.row(lease.id()).costInPlan().orElseThrow().isPositive())
                .isTrue();
    }

    @Test
    void anInstanceThatGoesByItselfWhileItsReleaseIsRefusedIsPaidAllTheSame() {
        LeaseRow lease = bench.lease(LeaseState.CREATING);
        vendor.add("i-9", lease.name().text());
        vendor.releases.add(new ReleaseOutcome.RetryLater("not now", Duration.ofSeconds(5)));
        bench.pass(Duration.ofMinutes(2));
        bench.step(lease);
        vendor.instances.clear();
        bench.untilGone(lease);
        assertThat(bench.row(lease.id()).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(bench.row(lease.id()).costInPlan().orElseThrow().isPositive())
                .isTrue();
    }

    @Test
    void everyInstanceUnderTheNameIsReleasedAndTheVendorsSurplusIsOverrun() {
        LeaseRow lease = bench.ready();
        vendor.add("i-2", lease.name().text());
        vendor.add("other", "somebody-elses");
        bench.untilGone(lease);
        assertThat(vendor.sent("release")).containsExactlyInAnyOrder("release i-1", "release i-2");
        assertThat(vendor.instances).containsOnlyKeys(new InstanceId("other"));
        LeaseRow closed = bench.row(lease.id());
        assertThat(closed.cost().orElseThrow())
                .isEqualByComparingTo(closed.costInPlan().orElseThrow().multipliedBy(2));
        assertThat(closed.overrunInPlan())
                .isEqualByComparingTo(closed.costInPlan().orElseThrow());
    }

    private List<String> differences(LeaseRow lease) {
        return bench.ledger.leaseEvents(lease.id()).stream()
                .filter(e -> e.type().equals(LeaseEvent.COST_DIFFERS))
                .map(LeaseEvent::detail)
                .toList();
    }

    @Test
    void theVendorsOwnFigureCountsOnceItIsComplete() {
        vendor.charge = Optional.of(ScriptedVendor.charge("0.10", false));
        LeaseRow lease = bench.ready();
        bench.untilGone(lease);
        assertThat(bench.row(lease.id()).costInPlan().orElseThrow())
                .as("an unfinished figure would be too little")
                .isGreaterThanOrEqualTo(BigMoney.parse("CNY 0.60"));

        vendor.charge = Optional.of(ScriptedVendor.charge("0.55", true));
        LeaseRow second = bench.ready();
        bench.untilGone(second);
        assertThat(bench.row(second.id()).costInPlan()).contains(BigMoney.parse("CNY 0.550000"));

        vendor.charge = Optional.of(ScriptedVendor.charge("0.95", true));
        LeaseRow third = bench.ready();
        bench.untilGone(third);
        assertThat(bench.row(third.id()).costInPlan())
                .as("its own price for the time there was")
                .contains(BigMoney.parse("CNY 0.600000"));
        assertThat(bench.row(third.id()).overrunInPlan()).isEqualByComparingTo(BigMoney.parse("CNY 0.35"));
        assertThat(differences(second)).as("a look that came late explains it").isEmpty();
        assertThat(differences(third)).containsExactly("CNY 0.95 against CNY 0.600000");
    }

    @Test
    void keysOfTheLeaseGoWithItAndThoseOfOthersStay() {
        LeaseRow lease = bench.ready();
        vendor.leftovers.add(
                new DependentResource("ssh-key", "k-1", lease.name().text(), false));
        vendor.leftovers.add(new DependentResource("ssh-key", "k-2", "st-other123-lease123-t1", false));
        bench.untilGone(lease);
        assertThat(vendor.sent("remove")).containsExactly("remove k-1");
    }

    @Test
    void aBorrowedMachineIsHandedBackOnceNothingOfOursIsOnIt() {
        vendor.borrowed = true;
        bench.leftOnMachine = Optional.of("/tmp/seatrial-x is still there");
        LeaseRow lease = bench.ready();
        ReleaseStep.NotYetGone left = (ReleaseStep.NotYetGone) bench.step(lease);
        assertThat(left.why()).contains("still there");
        bench.leftOnMachine = Optional.empty();
        bench.untilGone(lease);
        LeaseRow closed = bench.row(lease.id());
        assertThat(closed.state()).isEqualTo(LeaseState.HANDED_BACK);
        assertThat(closed.note()).contains("our load, files and keys are gone");
        assertThat(vendor.sent("release")).as("it is not ours to delete").isEmpty();
    }

    @Test
    void aBorrowedMachineThatCannotBeCleanedIsHandedBackWithWordsAfterAWhile() {
        vendor.borrowed = true;
        bench.leftOnMachine = Optional.of("no route to host");
        LeaseRow lease = bench.ready();
        Duration took = bench.untilGone(lease);
        assertThat(took).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(11));
        assertThat(bench.row(lease.id()).note()).contains("please check the machine: no route to host");
    }
}
