package dev.seatrial.provider;

/**
 * An opaque reference by which the vendor's adapter finds an offer again.
 *
 * @param value not blank, at most 300 characters
 */
public record OfferId(String value) {
    public OfferId {
        if (value.isBlank() || value.length() > 300) {
            throw new IllegalArgumentException("offer id must have 1 to 300 characters");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
