package dev.seatrial.app.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.ArtifactRow;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a machine sends as raw outputs is taken as hostile. */
class ArtifactsTest {
    private static final String RUN = "run-1";

    @TempDir
    Path home;

    private StageFixture fixture;
    private Artifacts artifacts;

    @BeforeEach
    void start() {
        fixture = new StageFixture(home, "vendor", Optional.empty(), Optional.of(1));
        fixture.ledger.startStage(new StageRunRow(
                RUN,
                StageFixture.EVALUATION,
                "box",
                Phase.SINGLE,
                0,
                StageName.STORAGE,
                fixture.lease.id(),
                1,
                "started",
                0,
                0,
                "",
                Instant.parse("2026-11-30T12:00:00Z"),
                Optional.empty(),
                ""));
        artifacts = new Artifacts(fixture.ledger, home.resolve("tmp"));
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    /** A machine whose every command prints the same bytes. */
    private record Answering(byte[] answer) implements Machine {
        @Override
        public Exec.Result exec(Exec exec) throws MachineException {
            try {
                exec.sink().orElseThrow().write(answer, 0, (int) Math.min(answer.length, exec.cap()));
            } catch (IOException e) {
                throw new MachineException(MachineException.Kind.LOCAL, "sink", e);
            }
            return new Exec.Result(0, new byte[0], "", false);
        }

        @Override
        public void upload(InputStream content, String path, Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void download(String path, OutputStream sink, long cap, Duration timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean remote() {
            return true;
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }

    private int collect(byte[] answer) throws MachineException {
        Wire wire = new Wire();
        Boot.Place place = new Boot.Place("/usr/bin/python3", "/tmp/seatrial-x", "root", "x", Optional.empty());
        return artifacts.collect(new Host(new Answering(answer), place, new Boot(wire), wire), RUN);
    }

    private static byte[] tar(String... names) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(out)) {
            for (String name : names) {
                boolean link = name.endsWith("@");
                TarArchiveEntry entry =
                        link ? new TarArchiveEntry(name, TarConstants.LF_SYMLINK) : new TarArchiveEntry(name, true);
                byte[] content = ("content of " + name).getBytes(StandardCharsets.UTF_8);
                if (link) {
                    entry.setLinkName("/etc/passwd");
                } else {
                    entry.setSize(content.length);
                }
                tar.putArchiveEntry(entry);
                if (!link) {
                    tar.write(content);
                }
                tar.closeArchiveEntry();
            }
        }
        return out.toByteArray();
    }

    @Test
    void plainFilesOfTheRunAreKeptAndNothingElse() throws Exception {
        int kept = collect(tar(
                "run-1/spec.json",
                "run-1/events.jsonl",
                "run-1/raw/fio.json",
                "run-1/raw/../../../../etc/cron.d/x",
                "run-1/raw/.bashrc",
                "/etc/passwd",
                "../up",
                "run-2/raw/other",
                "run-1/raw/link@"));
        assertThat(fixture.ledger.artifacts(RUN))
                .extracting(ArtifactRow::name)
                .allMatch(n -> n.matches("[A-Za-z0-9_][A-Za-z0-9._-]*"))
                .contains("spec.json", "fio.json")
                .doesNotContain("events.jsonl")
                .hasSize(kept);
        assertThat(fixture.ledger.artifactContent(RUN, "fio.json"))
                .hasValueSatisfying(c ->
                        assertThat(new String(c, StandardCharsets.UTF_8)).isEqualTo("content of run-1/raw/fio.json"));
        assertThat(home.resolve("tmp")).isEmptyDirectory();
    }

    @Test
    void aCutOffArchiveGivesWhatCameBeforeTheCut() throws Exception {
        byte[] whole = tar("run-1/raw/one", "run-1/raw/two", "run-1/raw/three");
        assertThat(collect(Arrays.copyOf(whole, 1600))).isBetween(1, 2);
    }

    @Test
    void noBytesMakeItFail() throws Exception {
        byte[] whole = tar("run-1/raw/one", "run-1/raw/two");
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            byte[] broken = whole.clone();
            for (int k = 0; k < 1 + i % 20; k++) {
                broken[random.nextInt(broken.length)] = (byte) random.nextInt();
            }
            assertThat(collect(broken)).isBetween(0, 2);
        }
        byte[] noise = new byte[50_000];
        random.nextBytes(noise);
        assertThat(collect(noise)).isZero();
    }
}
