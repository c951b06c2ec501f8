package dev.seatrial.app.config;

import java.nio.file.Path;
import java.util.Map;

/**
 * Where secrets and paths of the configuration are looked up.
 *
 * @param environment the process's environment
 * @param userHome what {@code ~} stands for
 */
public record Secrets(Map<String, String> environment, Path userHome) {
    public Secrets {
        environment = Map.copyOf(environment);
    }

    /** The process's own environment and user. */
    public static Secrets ofProcess() {
        return new Secrets(System.getenv(), Path.of(System.getProperty("user.home")));
    }

    /**
     * What a reference holds now.
     *
     * @param reference {@code env:NAME} or {@code file:PATH}
     * @throws IllegalArgumentException when it is not to be had, in plain words
     */
    public String resolve(String reference) {
        return SecretRef.parse(reference, userHome)
                .orElseThrow(() -> new IllegalArgumentException("a secret must be env:NAME or file:PATH"))
                .resolve(environment);
    }

    /** @throws IllegalArgumentException when it is no path */
    public Path path(String text) {
        return SecretRef.path(text, userHome).orElseThrow(() -> new IllegalArgumentException("not a path: " + text));
    }

    /** Names only: values stay out of logs. */
    @Override
    public String toString() {
        return "Secrets[" + environment.size() + " variables]";
    }
}
