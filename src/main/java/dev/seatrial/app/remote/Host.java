package dev.seatrial.app.remote;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.remote.MachineException.Kind;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A machine with our folder on it: the payload's commands as methods. */
final class Host {
    private static final Duration SHORT = Duration.ofSeconds(30);
    /** The payload itself waits up to 17 s for processes that do not end. */
    private static final Duration ENDING = Duration.ofSeconds(45);

    private static final long POLL_CAP = 1 << 20;

    private final Machine machine;
    private final Boot.Place place;
    private final Boot boot;
    private final Wire wire;

    Host(Machine machine, Boot.Place place, Boot boot, Wire wire) {
        this.machine = machine;
        this.place = place;
        this.boot = boot;
        this.wire = wire;
    }

    /**
     * What a poll told.
     *
     * @param events event lines
     * @param offset where to go on
     * @param state {@code running}, {@code ended}, {@code lost}
     */
    record Polled(List<ObjectNode> events, long offset, String state) {}

    Machine machine() {
        return machine;
    }

    /** A path in our folder. */
    String path(String name) {
        return place.dir() + "/" + name;
    }

    /** Brings the payload, unless exactly this one is there: a run may be reading it. */
    void install(Payload payload) throws MachineException {
        if (digest().equals(Optional.of(payload.sha256()))) {
            return;
        }
        machine.upload(new ByteArrayInputStream(payload.content()), path("payload.pyz"), Duration.ofSeconds(90));
        Optional<String> arrived = digest();
        if (!arrived.equals(Optional.of(payload.sha256()))) {
            throw new MachineException(
                    Kind.PROTOCOL,
                    "the program did not arrive whole: "
                            + arrived.map(d -> "its digest is " + d).orElse("it does not start"));
        }
    }

    private Optional<String> digest() throws MachineException {
        Exec.Result result = payload(List.of("version"), SHORT);
        return wire.last(result.text(), "version").map(v -> v.path("sha256").asText());
    }

    /** Starts a run or attaches to it. */
    void run(String stage, String id, String spec) throws MachineException {
        String file = path(id + ".spec.json");
        machine.upload(new ByteArrayInputStream(spec.getBytes(StandardCharsets.UTF_8)), file, SHORT);
        Exec.Result result = payload(List.of("run", stage, "--id", id, "--spec", file), SHORT);
        if (wire.last(result.text(), "run").isEmpty()) {
            throw refused("run", result);
        }
    }

    /** New events. A machine that has no such program or folder any more answers {@code lost}. */
    Polled poll(String id, long from) throws MachineException {
        Exec.Result result = machine.exec(command(List.of("poll", id, "--from", Long.toString(from)), SHORT, POLL_CAP));
        List<ObjectNode> lines = wire.lines(result.text());
        Optional<ObjectNode> end = lines.stream()
                .filter(l -> l.path("type").asText().equals("poll"))
                .reduce((a, b) -> b);
        if (end.isEmpty()) {
            boolean gone =
                    lines.isEmpty() && (result.status() == 127 || result.status() == 2 || result.status() == 126);
            if (gone) {
                return new Polled(List.of(), from, "lost");
            }
            throw refused("poll", result);
        }
        long offset = end.get().path("offset").asLong(-1);
        if (offset > from + POLL_CAP) {
            throw new MachineException(Kind.PROTOCOL, "the machine's answer leaves out events");
        }
        String state = offset < from ? "lost" : end.get().path("state").asText("running");
        List<ObjectNode> events = new ArrayList<>(lines);
        events.remove(end.get());
        return new Polled(events, Math.max(offset, from), state);
    }

    void stop(String id) throws MachineException {
        Exec.Result result = payload(List.of("stop", id), ENDING);
        Optional<ObjectNode> line = wire.last(result.text(), "stop");
        if (line.isEmpty()) {
            throw refused("stop", result);
        }
    }

    /** Raw outputs as a tar stream. */
    void collect(String id, OutputStream sink, long cap, Duration timeout) throws MachineException {
        Exec.Result result =
                machine.exec(command(List.of("collect", id), timeout, cap).into(sink, cap));
        if (result.status() > 0) {
            throw refused("collect", result);
        }
    }

    /** Runs one of our own programs on the machine's Python. */
    Exec.Result python(String program, List<String> arguments, java.io.InputStream in, Duration timeout)
            throws MachineException {
        StringBuilder line = new StringBuilder(Text.quote(place.python()) + " -c " + Text.quote(program));
        arguments.forEach(a -> line.append(' ').append(Text.quote(a)));
        return machine.exec(Exec.of(line.toString(), timeout).reading(in));
    }

    /** Ends all runs and removes our folder. @return what is left; empty when nothing is */
    List<String> clean() throws MachineException {
        Exec.Result result = payload(List.of("clean"), ENDING);
        Optional<ObjectNode> line = wire.last(result.text(), "clean");
        if (line.isEmpty()) {
            // No payload there, so no run either: the folder alone goes.
            return boot.leave(machine, place.lease(), place.where())
                    .map(List::of)
                    .orElse(List.of());
        }
        List<String> left = new ArrayList<>();
        line.get().path("left").forEach(l -> left.add(Text.line(l.asText(), 200)));
        return left;
    }

    private Exec.Result payload(List<String> arguments, Duration timeout) throws MachineException {
        return machine.exec(command(arguments, timeout, 512 << 10));
    }

    private Exec command(List<String> arguments, Duration timeout, long cap) {
        StringBuilder line = new StringBuilder(Text.quote(place.python()) + " " + Text.quote(path("payload.pyz")));
        arguments.forEach(a -> line.append(' ').append(Text.quote(a)));
        return new Exec(line.toString(), Optional.empty(), Optional.empty(), cap, timeout);
    }

    private MachineException refused(String what, Exec.Result result) {
        String why = wire.last(result.text(), "error")
                .map(e -> e.path("message").asText())
                .orElse(result.text() + " " + result.err());
        return new MachineException(
                Kind.PROTOCOL, "'" + what + "' ended with status " + result.status() + ": " + Text.line(why, 300));
    }
}
