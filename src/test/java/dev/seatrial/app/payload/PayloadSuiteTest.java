package dev.seatrial.app.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** The payload's own tests, one by one; they need a Python and say so when there is none. */
class PayloadSuiteTest {
    private static final Path SUITE = Path.of("test/payload");
    private static final Pattern SKIPPED = Pattern.compile("skipped[ =](\\d+|'[^']*')");
    private static final long MINUTES = 12;

    @TestFactory
    @Timeout(value = MINUTES * 20, unit = TimeUnit.MINUTES)
    Stream<DynamicTest> modules() throws IOException {
        assumeTrue(python(), "SKIPPED: the payload's tests need python3 on the path");
        try (Stream<Path> files = Files.list(SUITE)) {
            List<String> modules = files.map(f -> String.valueOf(f.getFileName()))
                    .filter(f -> f.startsWith("test_") && f.endsWith(".py"))
                    .map(f -> f.substring(0, f.length() - ".py".length()))
                    .sorted()
                    .toList();
            assertThat(modules).isNotEmpty();
            return modules.stream().map(m -> DynamicTest.dynamicTest(m, () -> run(m)));
        }
    }

    private static void run(String module) throws IOException, InterruptedException {
        Path output = Files.createTempFile("payload-" + module, ".txt");
        try {
            ProcessBuilder python = new ProcessBuilder("python3", "-m", "unittest", "-v", module)
                    .directory(SUITE.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            python.environment().putAll(Map.of("PYTHONDONTWRITEBYTECODE", "1"));
            Process p = python.start();
            boolean ended = p.waitFor(MINUTES, TimeUnit.MINUTES);
            if (!ended) {
                p.descendants().forEach(ProcessHandle::destroyForcibly);
                p.destroyForcibly();
            }
            String text = Files.readString(output, StandardCharsets.UTF_8);
            assertThat(ended).as("%s did not end:%n%s", module, text).isTrue();
            assertThat(p.exitValue()).as("%s:%n%s", module, text).isZero();
            Matcher skipped = SKIPPED.matcher(text);
            while (skipped.find()) {
                if (!Character.isDigit(skipped.group(1).charAt(0))) {
                    System.out.println("SKIPPED in " + module + ": " + skipped.group(1));
                }
            }
        } finally {
            Files.delete(output);
        }
    }

    private static boolean python() {
        try {
            Process p = new ProcessBuilder("python3", "--version")
                    .redirectErrorStream(true)
                    .start();
            return p.waitFor(30, TimeUnit.SECONDS) && p.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
