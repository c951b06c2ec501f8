package dev.seatrial.app.remote;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.remote.MachineException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** The first and the last thing that we do on a machine, by a plain shell script. */
final class Boot {
    private static final Duration LIMIT = Duration.ofSeconds(40);

    private final String script;
    private final Wire wire;

    Boot(Wire wire) {
        this.wire = wire;
        try (InputStream in = Boot.class.getResourceAsStream("boot.sh")) {
            if (in == null) {
                throw new IllegalStateException("boot.sh is not on the class path");
            }
            script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("boot.sh cannot be read", e);
        }
    }

    /**
     * What was found.
     *
     * @param python a Python of 3.8 or later, absolute
     * @param dir our folder, absolute, there and writable
     * @param user who we are
     * @param lease lease id it is for
     * @param where where the folder should rather have been
     */
    record Place(String python, String dir, String user, String lease, Optional<String> where) {}

    /**
     * Finds a Python and our folder, which is made when it is not there.
     *
     * @param lease lease id; part of the folder's name
     * @param where where the folder should rather be
     * @param name lease name, kept in the folder for whoever finds it
     */
    Place boot(Machine machine, String lease, Optional<String> where, String name) throws MachineException {
        String more =
                where.isPresent() || !name.isEmpty() ? " " + Text.quote(where.orElse("")) + " " + Text.quote(name) : "";
        ObjectNode line = run(machine, "boot", lease, more);
        String python = line.path("python").asText();
        String dir = line.path("dir").asText();
        if (dir.isEmpty()) {
            throw new MachineException(
                    Kind.UNUSABLE,
                    "no folder on the machine takes 16 MiB of ours (tried $TMPDIR, /tmp, the home, /var/tmp, /dev/shm)");
        }
        if (!dir.startsWith("/") || !dir.endsWith("/seatrial-" + lease)) {
            throw new MachineException(Kind.PROTOCOL, "the machine names a folder that is not ours: " + dir);
        }
        if (!python.startsWith("/")) {
            throw new MachineException(
                    Kind.UNUSABLE,
                    "the machine has no Python 3.8 or later (looked on the path, in /opt/conda, ~/miniconda3, /opt/*/.venv)");
        }
        return new Place(python, dir, line.path("user").asText(), lease, where);
    }

    /** Where our folder is, if it is there. Changes nothing. */
    Optional<String> look(Machine machine, String lease, Optional<String> where) throws MachineException {
        String dir = run(
                        machine,
                        "look",
                        lease,
                        where.map(w -> " " + Text.quote(w)).orElse(""))
                .path("dir")
                .asText();
        return dir.isEmpty() ? Optional.empty() : Optional.of(dir);
    }

    /** Ends marked processes, removes our folder, and looks whether that was all. @return what is left, or empty */
    Optional<String> leave(Machine machine, String lease, Optional<String> where) throws MachineException {
        String left = run(
                        machine,
                        "leave",
                        lease,
                        where.map(w -> " " + Text.quote(w)).orElse(""))
                .path("left")
                .asText();
        return left.isEmpty() ? Optional.empty() : Optional.of(Text.line(left, 300));
    }

    private ObjectNode run(Machine machine, String mode, String lease, String more) throws MachineException {
        Exec.Result result = machine.exec(Exec.of("sh -s -- seatrial-" + mode + " " + Text.quote(lease) + more, LIMIT)
                .reading(script));
        return wire.last(result.text(), mode)
                .orElseThrow(() -> new MachineException(
                        Kind.PROTOCOL,
                        "the machine's shell ended with status " + result.status() + " and without an answer: "
                                + Text.line(result.text() + " " + result.err(), 300)));
    }
}
