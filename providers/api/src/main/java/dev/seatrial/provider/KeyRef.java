package dev.seatrial.provider;

/**
 * An SSH public key as the vendor knows it.
 *
 * @param value the vendor's id or name of the key; the key line itself where keys travel inside the create request
 */
public record KeyRef(String value) {}
