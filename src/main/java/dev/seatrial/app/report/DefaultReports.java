package dev.seatrial.app.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.plan.Plan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reports out of a ledger, into {@code <reports>/<evaluation>/}. Thread-safe. */
public final class DefaultReports implements Reports {
    private static final Pattern ID = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ReportReader reader;
    private final Path directory;
    private final Supplier<Wording> wording;
    private final String command;
    private volatile @Nullable Templates templates;

    /**
     * @param ledger what is reported
     * @param directory where reports are written
     * @param plans reads {@link dev.seatrial.domain.ledger.EvaluationRow#planJson()}; throws IllegalArgumentException when it
     *     cannot
     * @param wording makes sentences in the reader's language; asked for at each report
     * @param command how the user starts this program, for the commands that are suggested
     */
    public DefaultReports(
            Ledger ledger, Path directory, Function<String, Plan> plans, Supplier<Wording> wording, String command) {
        this.reader = new ReportReader(ledger, plans);
        this.directory = directory;
        this.wording = wording;
        this.command = command;
    }

    /** With the sentences of the shipped policy and the launcher of the source tree. */
    public DefaultReports(Ledger ledger, Path directory, Function<String, Plan> plans) {
        this(ledger, directory, plans, JudgedWording::load, "./seatrial");
    }

    @Override
    public ObjectNode json(String evaluation) {
        return EvaluationJson.of(reader.read(evaluation));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Files: {@code report.<language>.html}, {@code report.<language>.md}, {@code evaluation.json}; each is replaced as a
     * whole.
     *
     * @throws UncheckedIOException when they cannot be written
     */
    @Override
    public Path write(String evaluation, Locale locale) {
        ReportModel model = reader.read(evaluation);
        Messages messages = Messages.of(locale);
        ReportView view = new ViewBuilder(model, messages, wording.get()).view();
        Path html = html(evaluation, messages);
        try {
            Files.createDirectories(html.getParent());
            replace(html, templates().html(view));
            replace(
                    html.resolveSibling("report." + messages.language() + ".md"),
                    templates().markdown(view));
            replace(
                    html.resolveSibling("evaluation.json"),
                    JSON.writerWithDefaultPrettyPrinter().writeValueAsString(EvaluationJson.of(model)) + "\n");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the JSON document cannot be written", e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the report into " + html.getParent(), e);
        }
        return html;
    }

    @Override
    public String text(String evaluation, Locale locale, int columns, boolean color) {
        ReportModel model = reader.read(evaluation);
        Messages messages = Messages.of(locale);
        Path html = html(evaluation, messages);
        return new TextReport(model, messages, wording.get(), command, columns, color)
                .text(Files.exists(html) ? Optional.of(html) : Optional.empty());
    }

    private Path html(String evaluation, Messages messages) {
        if (!ID.matcher(evaluation).matches()) {
            throw new IllegalArgumentException("not an evaluation id: " + HostileText.line(evaluation, 80));
        }
        return directory.toAbsolutePath().resolve(evaluation).resolve("report." + messages.language() + ".html");
    }

    /** Loaded at the first report: the command line's quick commands never need the template engine. */
    private Templates templates() {
        Templates ready = templates;
        if (ready == null) {
            synchronized (this) {
                ready = templates;
                if (ready == null) {
                    ready = new Templates();
                    templates = ready;
                }
            }
        }
        return ready;
    }

    /** Readers see the old file or the new one, never half of it. Owner-only, like all of the data directory. */
    private static void replace(Path file, String content) throws IOException {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        Path fresh = posix
                ? Files.createTempFile(
                        file.getParent(),
                        ".report",
                        ".tmp",
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))
                : Files.createTempFile(file.getParent(), ".report", ".tmp");
        try {
            Files.writeString(fresh, content);
            try {
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (AtomicMoveNotSupportedException e) {
                Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
            }
        } finally {
            Files.deleteIfExists(fresh);
        }
    }
}
