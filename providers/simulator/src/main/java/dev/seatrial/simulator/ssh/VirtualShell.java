package dev.seatrial.simulator.ssh;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The few commands that a simulated machine understands: the payload protocol and what surrounds it. */
final class VirtualShell {
    static final String PYTHON = "/usr/bin/python3";

    private static final Pattern ID = Pattern.compile("[a-z0-9-]{1,64}");
    private static final Pattern STAGE =
            Pattern.compile("environment|compute|storage|network|interconnect|stability|task");
    private static final long LARGEST_FILE = 256L << 20;
    private static final int NOT_FOUND = 127;
    private static final int USAGE = 2;

    private final Path root;
    private final PayloadRuns runs;
    private final ObjectMapper json = new ObjectMapper();

    /** @param root folder of this computer that stands for the machine's root */
    VirtualShell(Path root, PayloadRuns runs) {
        this.root = root;
        this.runs = runs;
    }

    /** Where a command reads and writes. */
    record Streams(InputStream in, OutputStream out, OutputStream err) {
        void say(String line) throws IOException {
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }

        void complain(String line) throws IOException {
            err.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Runs a command line and returns its exit status. */
    int run(String line, Streams streams) throws IOException {
        List<ShellWords.Word> words;
        try {
            words = ShellWords.split(line);
        } catch (IllegalArgumentException e) {
            streams.complain("sh: " + e.getMessage());
            return USAGE;
        }
        int status = 0;
        List<ShellWords.Word> one = new ArrayList<>();
        for (ShellWords.Word word : words) {
            if (word.operator() && !word.text().equals(">")) {
                status = simple(one, streams);
                one.clear();
                if (status != 0 && word.text().equals("&&")) {
                    return status;
                }
            } else {
                one.add(word);
            }
        }
        return one.isEmpty() ? status : simple(one, streams);
    }

    private int simple(List<ShellWords.Word> words, Streams streams) throws IOException {
        List<String> args = new ArrayList<>();
        Optional<String> target = Optional.empty();
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).operator()) {
                if (++i == words.size()) {
                    streams.complain("sh: syntax error");
                    return USAGE;
                }
                target = Optional.of(words.get(i).text());
            } else {
                args.add(words.get(i).text());
            }
        }
        if (target.isEmpty()) {
            return args.isEmpty() ? 0 : command(args, streams);
        }
        Path file = path(target.get());
        if (!Files.isDirectory(file.getParent())) {
            streams.complain("sh: " + target.get() + ": No such file or directory");
            return 1;
        }
        try (OutputStream out = Files.newOutputStream(file)) {
            return args.isEmpty() ? 0 : command(args, new Streams(streams.in(), out, streams.err()));
        }
    }

    private int command(List<String> args, Streams streams) throws IOException {
        List<String> rest = args.subList(1, args.size());
        return switch (args.get(0)) {
            case "true", ":", "umask", "chmod", "sync", "export", "exec" -> 0;
            case "echo" -> {
                streams.say(String.join(" ", rest));
                yield 0;
            }
            case "sh", "/bin/sh", "bash" -> shell(rest, streams);
            case "cat" -> cat(rest, streams);
            case "mkdir" -> {
                for (String name : operands(rest)) {
                    Files.createDirectories(path(name));
                }
                yield 0;
            }
            case "rm" -> {
                for (String name : operands(rest)) {
                    delete(path(name));
                }
                yield 0;
            }
            case "ls", "test" -> operands(rest).stream().allMatch(name -> Files.exists(path(name))) ? 0 : 1;
            case "id", "whoami" -> {
                streams.say(SshHosts.USER);
                yield 0;
            }
            case "uname" -> {
                streams.say("Linux");
                yield 0;
            }
            case PYTHON, "python3" -> python(rest, streams);
            default -> {
                streams.complain("sh: 1: " + args.get(0) + ": not found");
                yield NOT_FOUND;
            }
        };
    }

    private static List<String> operands(List<String> args) {
        return args.stream().filter(arg -> !arg.startsWith("-")).toList();
    }

    private int shell(List<String> args, Streams streams) throws IOException {
        if (args.size() == 2 && args.get(0).equals("-c")) {
            return run(args.get(1), streams);
        }
        if (args.size() == 4 && args.subList(0, 3).equals(List.of("-s", "--", "seatrial-boot"))) {
            streams.in().readNBytes(1 << 20);
            String dir = "/tmp/seatrial-" + args.get(3);
            if (!ID.matcher(args.get(3)).matches()) {
                streams.complain("sh: bad run id");
                return USAGE;
            }
            Files.createDirectories(path(dir));
            ObjectNode line = PayloadRuns.line("boot").put("python", PYTHON).put("dir", dir);
            streams.say(line.put("user", SshHosts.USER).toString());
            return 0;
        }
        streams.complain("sh: this simulated machine runs no scripts");
        return USAGE;
    }

    private int cat(List<String> args, Streams streams) throws IOException {
        if (args.isEmpty()) {
            byte[] buffer = new byte[64 << 10];
            long total = 0;
            for (int n = streams.in().read(buffer); n >= 0; n = streams.in().read(buffer)) {
                total += n;
                if (total > LARGEST_FILE) {
                    streams.complain("cat: write error: No space left on device");
                    return 1;
                }
                streams.out().write(buffer, 0, n);
            }
            return 0;
        }
        for (String name : args) {
            if (!Files.isRegularFile(path(name))) {
                streams.complain("cat: " + name + ": No such file or directory");
                return 1;
            }
            Files.copy(path(name), streams.out());
        }
        return 0;
    }

    private int python(List<String> args, Streams streams) throws IOException {
        if (args.size() > 1 && args.get(0).equals("-c")) {
            // A program of the service that unpacks what it sends; the task itself is simulated, so nothing is kept.
            streams.in().transferTo(OutputStream.nullOutputStream());
            return 0;
        }
        if (args.isEmpty() || !Files.isRegularFile(path(args.get(0)))) {
            streams.complain("python3: can't open file '" + (args.isEmpty() ? "" : args.get(0)) + "'");
            return USAGE;
        }
        Path program = path(args.get(0));
        List<String> rest = args.subList(1, args.size());
        String verb = rest.isEmpty() ? "" : rest.get(0);
        String id = option(rest, "--id").orElse(rest.size() > 1 ? rest.get(1) : "");
        return switch (verb) {
            case "version" -> {
                String digest = StageScript.sha256(Files.readAllBytes(program));
                streams.say(PayloadRuns.line("version")
                        .put("version", "simulated")
                        .put("sha256", digest)
                        .toString());
                yield 0;
            }
            case "run" -> start(rest, id, streams);
            case "poll" -> {
                long from = number(option(rest, "--from").orElse("0"));
                if (!valid(id) || from < 0) {
                    yield usage("poll needs an id and an offset", streams);
                }
                streams.say(runs.poll(id, from));
                yield 0;
            }
            case "stop" -> {
                if (!valid(id)) {
                    yield usage("stop needs an id", streams);
                }
                streams.say(runs.stop(id));
                yield 0;
            }
            case "collect" -> {
                Optional<byte[]> tar = runs.collect(id);
                if (tar.isEmpty()) {
                    yield usage("no run " + id + " here", streams);
                }
                streams.out().write(tar.get());
                yield 0;
            }
            case "clean" -> {
                streams.say(runs.clean());
                delete(program.getParent());
                yield 0;
            }
            default -> usage("unknown command " + verb, streams);
        };
    }

    private int start(List<String> args, String id, Streams streams) throws IOException {
        Optional<String> spec = option(args, "--spec");
        if (args.size() < 2 || !STAGE.matcher(args.get(1)).matches() || !valid(id) || spec.isEmpty()) {
            return usage("run needs a stage, --id and --spec", streams);
        }
        if (!Files.isRegularFile(path(spec.get()))) {
            return usage("no specification " + spec.get(), streams);
        }
        try {
            JsonNode node = json.readTree(Files.readString(path(spec.get())));
            if (node.isObject()) {
                streams.say(runs.run(args.get(1), id, node));
                return 0;
            }
        } catch (JsonProcessingException e) {
            return usage("the specification is not JSON: " + e.getOriginalMessage(), streams);
        }
        return usage("the specification must be a JSON object", streams);
    }

    private static int usage(String message, Streams streams) throws IOException {
        streams.say(PayloadRuns.line("error")
                .put("code", "USAGE")
                .put("message", message)
                .toString());
        return USAGE;
    }

    private static boolean valid(String id) {
        return ID.matcher(id).matches();
    }

    private static Optional<String> option(List<String> args, String name) {
        int at = args.indexOf(name);
        return at >= 0 && at + 1 < args.size() ? Optional.of(args.get(at + 1)) : Optional.empty();
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** A path of the machine, never outside its root. */
    private Path path(String name) {
        Path inside = Path.of("/").resolve(name).normalize();
        return root.resolve(Path.of("/").relativize(inside).toString());
    }

    /** Deletes a folder with all that is in it. */
    static void delete(Path place) throws IOException {
        if (!Files.exists(place)) {
            return;
        }
        Files.walkFileTree(place, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                // Somebody else removed it in the same moment.
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @org.jspecify.annotations.Nullable IOException e)
                    throws IOException {
                Files.deleteIfExists(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
