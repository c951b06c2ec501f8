package dev.seatrial.app.config;

import dev.seatrial.domain.money.SpendLimits;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What the user configured.
 *
 * @param home data directory, owner-only
 * @param file the configuration file that was read; may not exist
 * @param providers settings of each vendor account by name, in file order; values as written ({@code env:NAME} and
 *     {@code file:PATH} are resolved only where they are used)
 * @param limits what may be spent over all evaluations
 */
public record Settings(Path home, Path file, Map<String, Map<String, String>> providers, Optional<SpendLimits> limits) {
    /** Without limits. */
    public Settings(Path home, Path file, Map<String, Map<String, String>> providers) {
        this(home, file, providers, Optional.empty());
    }

    public Path reports() {
        return home.resolve("reports");
    }

    public Path ledgerFile() {
        return home.resolve("ledger.db");
    }

    public Path keys() {
        return home.resolve("keys");
    }

    public Path logs() {
        return home.resolve("logs");
    }
}
