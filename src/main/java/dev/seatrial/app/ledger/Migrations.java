package dev.seatrial.app.ledger;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;

/** The schema's versions and how to get to the newest one. */
final class Migrations {
    /** Highest version among {@link #SCRIPTS}. */
    static final int NEWEST = 2;

    static final String HISTORY = "flyway_schema_history";
    private static final List<String> SCRIPTS = List.of("V1__ledger.sql", "V2__limits.sql");

    private Migrations() {}

    /** @param bytesType the database's word for a column of bytes */
    static void migrate(DataSource database, String bytesType) {
        Flyway.configure()
                .dataSource(database)
                // Scripts are named here rather than searched for: no scan of the class path, the same in any
                // packaging.
                .resourceProvider(new Scripts())
                .javaMigrationClassProvider(List::of)
                .placeholders(Map.of("bytes", bytesType))
                .loggers("slf4j")
                .load()
                .migrate();
    }

    private static final class Scripts implements ResourceProvider {
        @Override
        public @Nullable LoadableResource getResource(String name) {
            return SCRIPTS.contains(name) ? new Script(name) : null;
        }

        @Override
        public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
            return SCRIPTS.stream()
                    .filter(name ->
                            name.startsWith(prefix) && Stream.of(suffixes).anyMatch(name::endsWith))
                    .<LoadableResource>map(Script::new)
                    .toList();
        }
    }

    private static final class Script extends LoadableResource {
        private final String name;

        Script(String name) {
            this.name = name;
        }

        @Override
        public Reader read() {
            try (InputStream in = Migrations.class.getResourceAsStream("/db/ledger/" + name)) {
                if (in == null) {
                    throw new IllegalStateException("the program lacks its own file db/ledger/" + name);
                }
                return new StringReader(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public String getAbsolutePath() {
            return "/db/ledger/" + name;
        }

        @Override
        public String getAbsolutePathOnDisk() {
            return getAbsolutePath();
        }

        @Override
        public String getFilename() {
            return name;
        }

        @Override
        public String getRelativePath() {
            return name;
        }
    }
}
