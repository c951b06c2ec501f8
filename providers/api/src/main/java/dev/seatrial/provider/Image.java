package dev.seatrial.provider;

/**
 * A machine image the vendor starts.
 *
 * @param id what {@link CreateRequest#image()} takes
 * @param name what a person calls it
 * @param description what is in it, in the vendor's words; may be empty
 */
public record Image(String id, String name, String description) {}
