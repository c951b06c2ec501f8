package dev.seatrial.provider;

/**
 * The vendor's own id of an instance, as text whatever its JSON type was.
 *
 * @param value not blank, at most 200 characters
 */
public record InstanceId(String value) {
    public InstanceId {
        if (value.isBlank() || value.length() > 200) {
            throw new IllegalArgumentException("instance id must have 1 to 200 characters");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
