package dev.seatrial.provider;

/** What the vendor says of an offer's stock; advisory everywhere. */
public enum Availability {
    YES,
    NO,
    UNKNOWN
}
