package dev.seatrial.app.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.provider.CreateOutcome;
import dev.seatrial.provider.ErrorKind;
import dev.seatrial.provider.InstanceId;
import dev.seatrial.workflow.CreateResult;
import dev.seatrial.workflow.CreateResult.Outcome;
import dev.seatrial.workflow.LeaseHandle;
import dev.seatrial.workflow.LeaseOpening;
import dev.seatrial.workflow.LeaseRequest;
import dev.seatrial.workflow.NotYet;
import dev.seatrial.workflow.ReadyResult;
import io.temporal.failure.ApplicationFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Laws 1 and 3: written before it is sent, sent once, never twice blindly. */
class LeaseActivitiesTest {
    @TempDir
    Path home;

    private LeaseBench bench;
    private ScriptedVendor vendor;
    private LeaseRequest request;
    private LeaseHandle lease;

    @BeforeEach
    void open() {
        bench = new LeaseBench(home);
        vendor = bench.vendor;
        request = bench.request();
        lease = bench.activities.open(request).handle().orElseThrow();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void theRowSaysCreatingBeforeTheVendorIsCalled() {
        List<LeaseState> seen = new ArrayList<>();
        vendor.creates = r -> {
            seen.add(row().state());
            return new CreateOutcome.Created(vendor.add("i-1", r.name().text()));
        };
        assertThat(bench.activities.create(lease, request).outcome()).isEqualTo(Outcome.CREATED);
        assertThat(seen).containsExactly(LeaseState.CREATING);
        assertThat(row().state()).isEqualTo(LeaseState.PROVISIONING);
        assertThat(row().instance()).contains(new InstanceId("i-1"));
    }

    @Test
    void withoutALedgerNothingIsSent() {
        Ledger away = BrokenLedger.around(bench.ledger, method -> method.equals("move"));
        assertThatThrownBy(() -> bench.activities(away).create(lease, request))
                .hasMessageContaining("the disk is full");
        assertThat(vendor.sent("create")).isEmpty();
    }

    @Test
    void concurrentCallsSendOneCreate() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try {
            List<Future<CreateResult>> results = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                results.add(threads.submit(() -> bench.activities(bench.ledger).create(lease, request)));
            }
            for (Future<CreateResult> result : results) {
                assertThat(result.get().outcome()).isIn(Outcome.CREATED, Outcome.SUSPECT);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(vendor.sent("create")).hasSize(1);
        assertThat(row().state()).isEqualTo(LeaseState.PROVISIONING);
    }

    @Test
    void openingTheSameLeaseAgainGivesTheSameOneAndAnotherProcessCreatesNothing() {
        bench.activities.create(lease, request);
        LeaseOpening again = bench.activities(bench.ledger).open(request);
        assertThat(again.handle().orElseThrow().lease()).isEqualTo(lease.lease());
        assertThat(bench.activities(bench.ledger).create(again.handle().orElseThrow(), request))
                .isEqualTo(new CreateResult(Outcome.CREATED, Optional.of("i-1"), Optional.empty(), ""));
        assertThat(vendor.sent("create")).hasSize(1);
    }

    @Test
    void aLeaseThatWasReleasedMeanwhileIsNotCreated() {
        bench.releaser.step(lease, "changed our mind");
        assertThat(bench.activities.create(lease, request).outcome()).isEqualTo(Outcome.NOT_CREATED);
        assertThat(vendor.sent("create")).isEmpty();
    }

    @Test
    void aCreateThatReturnsAfterItsLeaseWasGivenUpIsReleasedAtOnce() {
        vendor.creates = r -> {
            // A sweep has found the lease past its deadline while the call was under way, and has closed it.
            bench.untilGone(row());
            return new CreateOutcome.Created(vendor.add("i-1", r.name().text()));
        };
        CreateResult result = bench.activities.create(lease, request);
        assertThat(result.outcome()).isEqualTo(Outcome.REFUSED_WITH_ID);
        assertThat(result.instance()).contains("i-1");
        assertThat(vendor.instances).isEmpty();
        assertThat(bench.events(row())).contains("created-late");
    }

    @Test
    void aDeadlineThatHasPassedForbidsTheCreate() {
        bench.pass(Duration.ofHours(1));
        CreateResult result = bench.activities.create(lease, request);
        assertThat(result.outcome()).isEqualTo(Outcome.NOT_CREATED);
        assertThat(vendor.sent("create")).isEmpty();
    }

    @Test
    void aRefusalClosesTheLeaseInTheVendorsWords() {
        vendor.creates = r -> new CreateOutcome.NotCreated(ErrorKind.QUOTA, "limit of 0 GPUs");
        CreateResult result = bench.activities.create(lease, request);
        assertThat(result.outcome()).isEqualTo(Outcome.NOT_CREATED);
        assertThat(result.kind()).contains(ErrorKind.QUOTA);
        assertThat(row().state()).isEqualTo(LeaseState.NOT_CREATED);
        assertThat(row().note()).contains("limit of 0 GPUs");
        assertThat(bench.ledger.spend(LeaseBench.EVALUATION).reserved().isZero())
                .isTrue();
    }

    @Test
    void aRefusalWithAnIdStaysOpenUntilItIsReleased() {
        vendor.creates = r -> new CreateOutcome.NotCreated(
                ErrorKind.NO_CAPACITY,
                "partly provisioned",
                Optional.of(vendor.add("i-1", r.name().text())),
                Optional.empty());
        assertThat(bench.activities.create(lease, request).outcome()).isEqualTo(Outcome.REFUSED_WITH_ID);
        assertThat(row().state()).isEqualTo(LeaseState.SUSPECT);
        bench.untilGone(row());
        assertThat(row().state()).isEqualTo(LeaseState.RELEASED);
        assertThat(vendor.instances).isEmpty();
    }

    @Test
    void aLostAnswerIsAdoptedByNameAndSentNoSecondTime() {
        vendor.creates = r -> {
            vendor.hidden.add(vendor.add("i-1", r.name().text()));
            return new CreateOutcome.Unknown("connection reset", Optional.empty());
        };
        assertThat(bench.activities.create(lease, request).outcome()).isEqualTo(Outcome.SUSPECT);
        assertNotYet();
        bench.pass(Duration.ofSeconds(5));
        assertNotYet();
        vendor.hidden.clear();
        assertThat(bench.activities.resolve(lease).outcome()).isEqualTo(Outcome.CREATED);
        assertThat(row().instance()).contains(new InstanceId("i-1"));
        assertThat(vendor.sent("create")).hasSize(1);
    }

    @Test
    void aLostAnswerIsANoOnlyAfterTheSettleWindowAndTwoLooks() {
        vendor.creates = r -> new CreateOutcome.Unknown("timeout", Optional.empty());
        bench.activities.create(lease, request);
        bench.pass(ScriptedVendor.SETTLE.plusSeconds(60));
        assertNotYet();
        bench.pass(Duration.ofSeconds(2));
        assertThat(bench.activities.resolve(lease).outcome()).isEqualTo(Outcome.NOT_CREATED);
        assertThat(row().state()).isEqualTo(LeaseState.NOT_CREATED);
    }

    @Test
    void ofTwoUnderOneNameOneIsKeptAndBothArePaidFor() {
        vendor.creates = r -> {
            vendor.add("i-1", r.name().text());
            vendor.add("i-2", r.name().text());
            return new CreateOutcome.Unknown("timeout", Optional.empty());
        };
        bench.activities.create(lease, request);
        assertThat(bench.activities.resolve(lease).outcome()).isEqualTo(Outcome.CREATED);
        assertThat(vendor.instances).containsOnlyKeys(new InstanceId("i-1"));
        bench.pass(Duration.ofMinutes(1));
        bench.untilGone(row());
        assertThat(row().cost().orElseThrow())
                .isEqualByComparingTo(row().costInPlan().orElseThrow().multipliedBy(2));
    }

    @Test
    void anAdapterThatBreaksAfterSendingIsNotARefusal() {
        vendor.creates = r -> {
            throw new IllegalStateException("could not read the answer");
        };
        assertThat(bench.activities.create(lease, request).outcome()).isEqualTo(Outcome.SUSPECT);
        assertThat(row().state()).isEqualTo(LeaseState.SUSPECT);
    }

    @Test
    void readyMeansThatWeCouldLogIn() {
        bench.activities.create(lease, request);
        bench.probe = Optional.of("connection refused");
        assertThatThrownBy(() -> bench.activities.awaitReady(lease)).hasMessageContaining("connection refused");
        bench.probe = Optional.empty();
        assertThat(bench.activities.awaitReady(lease).endpoint()).isPresent();
        assertThat(row().state()).isEqualTo(LeaseState.READY);
        assertThat(bench.activities.awaitReady(lease).endpoint())
                .as("asked again")
                .isPresent();
    }

    @Test
    void anInstanceThatTheVendorNoLongerKnowsIsNotAwaitedForEver() {
        bench.activities.create(lease, request);
        vendor.instances.clear();
        assertThatThrownBy(() -> bench.activities.awaitReady(lease)).isInstanceOf(ApplicationFailure.class);
        bench.pass(ScriptedVendor.SETTLE.plusSeconds(1));
        ReadyResult result = bench.activities.awaitReady(lease);
        assertThat(result.endpoint()).isEmpty();
        assertThat(result.words()).contains("no longer knows");
    }

    private LeaseRow row() {
        return bench.row(lease.lease());
    }

    private void assertNotYet() {
        assertThatThrownBy(() -> bench.activities.resolve(lease))
                .isInstanceOfSatisfying(
                        ApplicationFailure.class, f -> assertThat(f.getType()).isEqualTo(NotYet.TYPE));
    }
}
