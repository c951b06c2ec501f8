package dev.seatrial.app.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Where a secret is kept. Its name travels; what it holds is read only where it is used. */
public sealed interface SecretRef {
    /** Largest secret file, in bytes. */
    int MAX_BYTES = 64 * 1024;

    /** An environment variable. */
    record Env(String name) implements SecretRef {
        @Override
        public String toString() {
            return "env:" + name;
        }
    }

    /** A file; surrounding blanks and line ends do not belong to the secret. */
    record InFile(Path path) implements SecretRef {
        @Override
        public String toString() {
            return "file:" + path;
        }
    }

    /** Reads {@code env:NAME} or {@code file:PATH}; empty for anything else. */
    static Optional<SecretRef> parse(String text, Path userHome) {
        if (text.startsWith("env:")) {
            String name = text.substring(4);
            return Pattern.matches("[A-Za-z_][A-Za-z0-9_]{0,99}", name) ? Optional.of(new Env(name)) : Optional.empty();
        }
        if (text.startsWith("file:") && text.length() > 5) {
            return path(text.substring(5), userHome).map(InFile::new);
        }
        return Optional.empty();
    }

    /** A path that may begin with {@code ~/}; empty when it is none. */
    static Optional<Path> path(String text, Path userHome) {
        try {
            return Optional.of(text.startsWith("~/") ? userHome.resolve(text.substring(2)) : Path.of(text));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /**
     * What it holds now.
     *
     * @throws IllegalArgumentException when it is not to be had, in plain words and without any part of a secret
     */
    default String resolve(Map<String, String> environment) {
        if (this instanceof Env env) {
            String value = environment.get(env.name());
            if (value == null || value.isBlank()) {
                throw new IllegalArgumentException("the environment variable " + env.name() + " is not set");
            }
            return value.strip();
        }
        Path path = ((InFile) this).path();
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            String value = new String(bytes, StandardCharsets.UTF_8).strip();
            if (value.isEmpty() || bytes.length > MAX_BYTES) {
                throw new IllegalArgumentException(
                        "the secret file " + path + (value.isEmpty() ? " is empty" : " is too large"));
            }
            return value;
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    Files.exists(path)
                            ? "the secret file " + path + " cannot be read"
                            : "there is no secret file " + path,
                    e);
        }
    }
}
