package dev.seatrial.app.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.app.ledger.SpendingMarker;
import dev.seatrial.app.sweep.Everything;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.provider.LeaseName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** No create once spending is stopped, and names alone are enough to give everything back. */
@Timeout(180)
class StoppedSpendingTest {
    private static final String SHORT = "single: { stages: [environment, compute] }";

    @TempDir
    Path home;

    @Test
    void nothingIsRentedWhileSpendingIsStopped() {
        try (World world = new World(home).vendor("steady", Plans.alone("steady"))) {
            SpendingMarker marker = new SpendingMarker(home);
            marker.set(world.clock.instant(), "a test");

            String id = world.run(Plans.plan("20", "- { provider: steady }", SHORT));

            assertThat(world.meter("steady").created()).isZero();
            assertThat(world.ledger.evaluation(id).orElseThrow().status())
                    .isEqualTo(EvaluationStatus.STOPPED_BY_BUDGET);
            assertThat(world.trial(id, "steady").reason())
                    .contains("spending is stopped since")
                    .contains("a test");

            assertThat(marker.clear()).isTrue();
            String again = world.run(Plans.plan("20", "- { provider: steady }", SHORT));
            assertThat(world.ledger.evaluation(again).orElseThrow().status()).isEqualTo(EvaluationStatus.COMPLETED);
        }
    }

    @Test
    void whatWasGrantedBeforeIsNotCreatedAfter() {
        // The vendor takes its time with the key, and in that time spending is stopped.
        try (World world = new World(home)) {
            world.vendor("steady", Plans.alone("steady"));
            SpendingMarker marker = new SpendingMarker(home);
            world.beforeCreate(() -> marker.set(world.clock.instant(), "a test"));

            String id = world.run(Plans.plan("20", "- { provider: steady }", SHORT));

            assertThat(world.meter("steady").created()).isZero();
            assertThat(world.ledger.leases(id))
                    .isNotEmpty()
                    .allMatch(
                            l -> l.state() == LeaseState.NOT_CREATED && l.note().contains("spending is stopped"));
        }
    }

    @Test
    void aMarkerThatNobodyCanReadStopsToo() throws IOException {
        SpendingMarker marker = new SpendingMarker(home);
        assertThat(marker.read()).isEmpty();
        Files.writeString(home.resolve("spending-stopped"), "");
        assertThat(marker.read()).isPresent();
        assertThat(marker.set(Instant.parse("2026-11-30T12:00:00Z"), "me").who())
                .isEqualTo("?");
        assertThat(marker.clear()).isTrue();
        assertThat(marker.clear()).isFalse();
        marker.set(Instant.parse("2026-11-30T12:00:00Z"), "me");
        assertThat(marker.set(Instant.parse("2026-12-01T12:00:00Z"), "you").who())
                .as("the first stays")
                .isEqualTo("me");
    }

    @Test
    void namesAloneAreEnoughAlsoForACreateThatLandsLate() {
        String late = """
                {"operation": "create", "call": 1, "action": "drop", "effect": "after", "seconds": 1.5}""";
        try (World world = new World(home).vendor("steady", Plans.faulty(late))) {
            String evaluation = world.open(Plans.plan("20", "- { provider: steady }", SHORT));
            world.rent("steady", new LeaseName(world.ledger.installation(), "latelease1", world.inAnHour()));
            String theirs = new LeaseName("other111", "theirlease1", world.inAnHour()).text();
            world.rent("steady", LeaseName.parse(theirs).orElseThrow());
            assertThat(world.ledger.leases(evaluation)).isEmpty();

            Everything all = world.everything();
            boolean early = false;
            for (int i = 0; i < 60 && !all.done(); i++) {
                all.round(name -> false, account -> false);
                early |= all.done() && world.meter("steady").running().size() > 1;
                world.pass(Duration.ofMillis(700));
            }

            assertThat(all.done()).isTrue();
            assertThat(early).as("done before it was").isFalse();
            assertThat(world.meter("steady").created()).isEqualTo(2);
            assertThat(world.meter("steady").instances().stream()
                            .filter(i -> i.to().isEmpty())
                            .map(i -> Optional.of(i.name())))
                    .containsExactly(Optional.of(theirs));
        }
    }
}
