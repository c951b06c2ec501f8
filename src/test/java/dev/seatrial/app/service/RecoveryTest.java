package dev.seatrial.app.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.app.lease.LeaseBench;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecoveryTest {
    @TempDir
    Path home;

    private LeaseBench bench;

    @BeforeEach
    void open() {
        bench = new LeaseBench(home);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void whatADeadOwnerLeftIsInterruptedReleasedAndProven() {
        LeaseRow used = bench.ready();
        LeaseRow intended = bench.intended();
        Recovery recovery = recovery(true);
        assertThat(recovery.leftBehind()).extracting(LeaseRow::id).containsExactlyInAnyOrder(used.id(), intended.id());
        assertThat(recovery.interrupt()).extracting(EvaluationRow::id).containsExactly(LeaseBench.EVALUATION);
        assertThat(bench.ledger.evaluation(LeaseBench.EVALUATION).orElseThrow().status())
                .isEqualTo(EvaluationStatus.INTERRUPTED);

        List<String> told = new ArrayList<>();
        assertThat(recovery.step(told::add)).as("one needs a second look").isEqualTo(1);
        bench.pass(Duration.ofSeconds(10));
        assertThat(recovery.step(told::add)).isZero();
        assertThat(told).anyMatch(l -> l.equals("vendor " + used.id() + ": proven gone"));
        assertThat(bench.row(used.id()).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(bench.row(intended.id()).state()).isEqualTo(LeaseState.NOT_CREATED);
        assertThat(bench.vendor.instances).isEmpty();
        assertThat(recovery.leftBehind()).isEmpty();
        assertThat(recovery.interrupt()).as("told once").isEmpty();
    }

    @Test
    void whatALivingOwnerHoldsIsItsOwn() {
        LeaseRow used = bench.ready();
        Recovery recovery = recovery(false);
        assertThat(recovery.leftBehind()).isEmpty();
        assertThat(recovery.interrupt()).isEmpty();
        assertThat(recovery.step(line -> {})).isZero();
        assertThat(bench.row(used.id()).state()).isEqualTo(LeaseState.READY);
        assertThat(bench.vendor.calls).isEmpty();
    }

    private Recovery recovery(boolean dead) {
        return new Recovery(
                bench.ledger, bench.releaser, bench.clock(), owner -> owner.equals(LeaseBench.OWNER) && dead);
    }
}
