package dev.seatrial.app.config;

import dev.seatrial.domain.money.SpendLimits;
import java.nio.file.Files;
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
 * @param references the user's own identities and references
 * @param policy the user's own verdict policy
 */
public record Settings(
        Path home,
        Path file,
        Map<String, Map<String, String>> providers,
        Optional<SpendLimits> limits,
        Optional<Path> references,
        Optional<Path> policy) {
    /** With the files of the data directory, where there are any. */
    public Settings(Path home, Path file, Map<String, Map<String, String>> providers, Optional<SpendLimits> limits) {
        this(home, file, providers, limits, own(home, "references.yaml"), own(home, "policy.yaml"));
    }

    /** Without limits. */
    public Settings(Path home, Path file, Map<String, Map<String, String>> providers) {
        this(home, file, providers, Optional.empty());
    }

    static Optional<Path> own(Path home, String name) {
        return Optional.of(home.resolve(name)).filter(Files::exists);
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
