package dev.seatrial.app.remote;

import dev.seatrial.provider.LeaseName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which leases use which handed-over machine: such a machine has no vendor who could be asked. One file per lease, so that
 * it holds across processes.
 */
public final class HandedOver {
    private static final Pattern PART = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");

    private final Path folder;

    /** @param folder made when it is not there */
    public HandedOver(Path folder) {
        this.folder = folder;
    }

    void add(String provider, LeaseName name) {
        try {
            Path file = file(provider, name.lease());
            Files.createDirectories(file.getParent());
            Files.writeString(file, name.text() + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot note that " + provider + " is in use", e);
        }
    }

    Optional<LeaseName> find(String provider, String lease) {
        try {
            return LeaseName.parse(Files.readString(file(provider, lease)).strip());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read whether " + provider + " is in use", e);
        }
    }

    List<LeaseName> all(String provider) {
        Path own = file(provider, "x").getParent();
        List<LeaseName> found = new ArrayList<>();
        if (own == null || !Files.isDirectory(own)) {
            return found;
        }
        try (Stream<Path> files = Files.list(own)) {
            files.map(f -> String.valueOf(f.getFileName()))
                    .filter(f -> PART.matcher(f).matches())
                    .sorted()
                    .forEach(lease -> find(provider, lease).ifPresent(found::add));
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read whether " + provider + " is in use", e);
        }
    }

    void remove(String provider, String lease) {
        try {
            Files.deleteIfExists(file(provider, lease));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot note that " + provider + " is free again", e);
        }
    }

    private Path file(String provider, String lease) {
        if (!PART.matcher(provider).matches() || !PART.matcher(lease).matches()) {
            throw new IllegalArgumentException("not a provider's or lease's name");
        }
        return folder.resolve(provider).resolve(lease);
    }
}
