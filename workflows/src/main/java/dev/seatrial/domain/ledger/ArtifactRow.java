package dev.seatrial.domain.ledger;

/**
 * A raw output kept as evidence.
 *
 * @param stageRun stage it belongs to
 * @param name file name within the stage, {@code [A-Za-z0-9._-]}
 * @param sha256 hex digest of the uncompressed content
 * @param bytes uncompressed size
 */
public record ArtifactRow(String stageRun, String name, String sha256, long bytes) {
    /** Most bytes kept of one raw output, before compression. */
    public static final int MAX_KEPT = 16 * 1024 * 1024;
}
