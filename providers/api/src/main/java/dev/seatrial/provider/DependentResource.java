package dev.seatrial.provider;

/**
 * Something of ours that may outlive an instance and may bill: volume, address, key.
 *
 * @param kind the vendor's word, e.g. {@code ssh-key}, {@code volume}
 * @param id vendor's id
 * @param name carries our name prefix
 * @param bills whether it costs money while it exists
 */
public record DependentResource(String kind, String id, String name, boolean bills) {}
