package dev.seatrial.app.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.seatrial.app.bench.Mutation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WireTest {
    private static final Path RECORDED = Path.of("test/payload/fixtures/h200");
    private final Wire wire = new Wire();

    @Test
    void whateverAMachineWritesIsAnEventOrNothing() throws IOException {
        try (Stream<Path> files = Files.list(RECORDED)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".jsonl")).toList()) {
                List<String> lines = Files.readAllLines(file);
                for (int seed = 0; seed < 50; seed++) {
                    Random random = new Random(seed);
                    String text = String.join(
                            "\n",
                            lines.stream()
                                    .map(l -> random.nextInt(3) == 0 ? Mutation.of(l, random) : l)
                                    .toList());
                    assertThatCode(() -> {
                                wire.last(text, "end");
                                wire.lines(text).forEach(line -> wire.event(line)
                                        .ifPresent(e -> assertThat(e.seq()).isPositive()));
                            })
                            .as("seed %d of %s", seed, file)
                            .doesNotThrowAnyException();
                }
            }
        }
    }
}
