package dev.seatrial.app.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.app.lease.BrokenLedger;
import dev.seatrial.app.lease.LeaseBench;
import dev.seatrial.app.lease.ScriptedVendor;
import dev.seatrial.app.sweep.SweepLine.Action;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.provider.DependentResource;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.provider.LeaseName;
import dev.seatrial.provider.ProviderException;
import dev.seatrial.provider.ReleaseOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweepTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

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
    void aLeaseWithinItsTimeIsKeptAndAfterItReleasedAndProven() {
        LeaseRow lease = bench.ready();
        assertThat(round()).extracting(SweepLine::action).containsExactly(Action.KEEP);
        passDeadline(lease);
        assertThat(round()).extracting(SweepLine::action).containsExactly(Action.RELEASE);
        bench.pass(MINUTE);
        assertThat(round())
                .extracting(SweepLine::action, SweepLine::what)
                .containsExactly(org.assertj.core.api.Assertions.tuple(Action.GONE, "lease"));
        assertThat(bench.row(lease.id()).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(round()).isEmpty();
    }

    @Test
    void aDryRunSaysTheSameAndDoesNothing() {
        LeaseRow lease = bench.ready();
        passDeadline(lease);
        vendor.leftovers.add(
                new DependentResource("ssh-key", "k-1", lease.name().text(), false));
        bench.pass(Sweep.MARGIN);
        List<SweepLine> lines = sweep(Optional.of(bench.ledger)).round(Set.of(), true);
        assertThat(lines).extracting(SweepLine::action).containsExactly(Action.RELEASE, Action.RELEASE);
        assertThat(vendor.sent("release")).isEmpty();
        assertThat(vendor.sent("remove")).isEmpty();
        assertThat(bench.row(lease.id()).state()).isEqualTo(LeaseState.READY);
    }

    @Test
    void namesThatAreNotOursAreNeverTouched() {
        bench.ready();
        vendor.add("a", "");
        vendor.add("b", "production-db");
        vendor.add("c", "st-");
        vendor.add("d", "st-other123-lease123-tnever");
        vendor.add("e", "ST-other123-lease123-t1");
        bench.pass(Duration.ofDays(400));
        round();
        assertThat(vendor.sent("release")).containsExactly("release i-1");
    }

    @Test
    void anOrphanOfOursGoesOnceItIsOldEnoughNotToBeANewLease() {
        bench.ready();
        String orphan = name(bench.ledger.installation(), "lost12345", Duration.ofHours(5));
        vendor.add("young", orphan, Optional.of(bench.now()));
        assertThat(line("young").action()).isEqualTo(Action.KEEP);
        bench.pass(Sweep.GRACE.plusSeconds(1));
        assertThat(line("young").action()).isEqualTo(Action.RELEASE);
        assertThat(vendor.sent("release")).containsExactly("release young");
        assertThat(bench.ledger.audits(5)).anySatisfy(a -> assertThat(a.what()).isEqualTo("orphan"));
    }

    @Test
    void anOrphanOfUnknownAgeWaitsForItsDeadline() {
        bench.ready();
        vendor.add("ageless", name(bench.ledger.installation(), "lost12345", Duration.ofMinutes(12)));
        bench.pass(Duration.ofMinutes(11));
        assertThat(line("ageless").action()).isEqualTo(Action.KEEP);
        bench.pass(Duration.ofMinutes(4));
        assertThat(line("ageless").action()).isEqualTo(Action.RELEASE);
    }

    @Test
    void anInstanceOfAClosedLeaseGoesAtOnce() {
        LeaseRow closed = bench.lease(LeaseState.CREATING, LeaseState.NOT_CREATED);
        vendor.add("late", closed.name().text(), Optional.of(bench.now()));
        assertThat(line("late").why()).contains("NOT_CREATED in the ledger");
        assertThat(vendor.instances).isEmpty();
    }

    @Test
    void anotherInstallationsInstanceIsLeftToItUntilDeadlineAndMargin() {
        bench.ready();
        vendor.add("theirs", name("other123", "lease12345", Duration.ofMinutes(3)));
        bench.pass(Duration.ofMinutes(4));
        assertThat(line("theirs").action()).isEqualTo(Action.KEEP);
        assertThat(line("theirs").why()).contains("another installation's");
        bench.pass(Duration.ofMinutes(2));
        assertThat(line("theirs").action()).isEqualTo(Action.RELEASE);
        assertThat(vendor.sent("release")).containsExactly("release theirs");
    }

    @Test
    void anEmptyLedgerCallsNothingAnOrphan() {
        vendor.add("mine", name(bench.ledger.installation(), "lost12345", Duration.ofHours(1)));
        bench.pass(Duration.ofMinutes(30));
        assertThat(line("mine").action()).isEqualTo(Action.KEEP);
        bench.pass(Duration.ofMinutes(33));
        assertThat(line("mine").action()).isEqualTo(Action.RELEASE);
    }

    @Test
    void withoutOrWithABrokenLedgerNamesAndDeadlinesSuffice() {
        LeaseRow lease = bench.ready();
        Ledger broken = BrokenLedger.around(bench.ledger, method -> true);
        assertThat(sweep(Optional.of(broken)).round(Set.of(), false))
                .extracting(SweepLine::action)
                .containsExactly(Action.KEEP);
        passDeadline(lease);
        bench.pass(Sweep.MARGIN);
        assertThat(sweep(Optional.of(broken)).round(Set.of(), true))
                .extracting(SweepLine::action)
                .containsExactly(Action.RELEASE);
        sweep(Optional.empty()).round(Set.of(), false);
        assertThat(vendor.instances).isEmpty();
    }

    @Test
    void aWrongClockIsNoticedAndTheVendorsIsUsed() {
        LeaseRow lease = bench.ready();
        vendor.skew = Optional.of(
                Duration.between(bench.now(), lease.timing().deadline()).plusSeconds(5));
        List<SweepLine> lines = round();
        assertThat(lines)
                .filteredOn(l -> l.what().equals("clock"))
                .singleElement()
                .satisfies(l -> {
                    assertThat(l.action()).isEqualTo(Action.NOTE);
                    assertThat(l.why()).contains("differs from the vendor's");
                });
        assertThat(vendor.instances).as("due by the vendor's clock").isEmpty();
    }

    @Test
    void aSmallDifferenceOfClocksChangesNothing() {
        LeaseRow lease = bench.ready();
        bench.pass(Duration.between(bench.now(), lease.timing().deadline()).minusSeconds(30));
        vendor.skew = Optional.of(Duration.ofSeconds(50));
        assertThat(round()).extracting(SweepLine::action).containsExactly(Action.KEEP);
    }

    @Test
    void keysThatALeaseLeftBehindGoWithItsEndAndTheUnparsableStay() {
        LeaseRow lease = bench.ready();
        vendor.leftovers.add(
                new DependentResource("ssh-key", "k-1", lease.name().text(), false));
        vendor.leftovers.add(new DependentResource("ssh-key", "k-2", "my laptop", false));
        vendor.leftovers.add(
                new DependentResource("volume", "v-1", name("other123", "lease12345", MINUTE.negated()), true));
        round();
        assertThat(vendor.sent("remove")).isEmpty();
        bench.pass(Sweep.MARGIN);
        round();
        assertThat(vendor.sent("remove")).as("past its deadline and margin").containsExactly("remove v-1");
        passDeadline(lease);
        round();
        bench.pass(MINUTE);
        round();
        assertThat(vendor.sent("remove")).containsExactlyInAnyOrder("remove v-1", "remove k-1");
    }

    @Test
    void oneThatCannotBeReleasedKeepsNoOther() {
        bench.ready();
        vendor.add("stuck", name("other123", "lease12345", MINUTE.negated()));
        vendor.add("next", name("other123", "lease23456", MINUTE.negated()));
        bench.pass(Sweep.MARGIN);
        vendor.releases.add(new ReleaseOutcome.Failed(ErrorKind.PERMISSION, "not yours"));
        assertThat(line("stuck")).satisfies(l -> {
            assertThat(l.action()).isEqualTo(Action.TROUBLE);
            assertThat(l.why()).contains("PERMISSION: not yours");
        });
        assertThat(vendor.instances).doesNotContainKey(new InstanceId("next"));
    }

    @Test
    void anAccountThatCannotBeReadIsToldAndNothingOfItIsClosed() {
        LeaseRow lease = bench.ready();
        passDeadline(lease);
        vendor.away = Optional.of(new ProviderException(ErrorKind.AUTH, "invalid key"));
        assertThat(round()).singleElement().satisfies(l -> {
            assertThat(l.action()).isEqualTo(Action.UNSEEN);
            assertThat(l.why()).contains("AUTH: invalid key");
        });
        assertThat(bench.row(lease.id()).state()).isEqualTo(LeaseState.READY);
    }

    private SweepLine line(String id) {
        return round().stream().filter(l -> l.id().equals(id)).findFirst().orElseThrow();
    }

    private List<SweepLine> round() {
        return sweep(Optional.of(bench.ledger)).round(Set.of(), false);
    }

    private Sweep sweep(Optional<Ledger> ledger) {
        return new Sweep(vendor.asProviders(), bench.accounts, ledger, ledger.map(l -> bench.releaser), bench.clock());
    }

    private void passDeadline(LeaseRow lease) {
        bench.pass(Duration.between(bench.now(), lease.timing().deadline()).plusSeconds(1));
    }

    private String name(String installation, String lease, Duration due) {
        return new LeaseName(installation, lease, bench.now().plus(due)).text();
    }
}
