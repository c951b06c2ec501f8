package dev.seatrial.vendors;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The vendors' descriptions of their APIs, where {@code SEATRIAL_SPECS} says they are. */
public final class Specs {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Specs() {}

    /** A file of that folder. @throws UncheckedIOException when it is not there */
    public static Path file(String name) {
        Path file = Path.of(System.getenv("SEATRIAL_SPECS")).resolve(name);
        if (!Files.isReadable(file)) {
            throw new UncheckedIOException(new IOException("SEATRIAL_SPECS has no " + name));
        }
        return file;
    }

    public static JsonNode json(String name) {
        try {
            return JSON.readTree(file(name).toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
