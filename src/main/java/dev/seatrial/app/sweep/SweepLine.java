package dev.seatrial.app.sweep;

/**
 * What a sweep thinks of one thing it saw.
 *
 * @param provider vendor account
 * @param what {@code instance}, {@code lease} (a ledger row without an instance), or the vendor's word of a dependent resource
 * @param id vendor's id; empty for a row whose instance was never seen
 * @param name our name for it
 * @param action what is done or would be done
 * @param why one sentence
 */
public record SweepLine(String provider, String what, String id, String name, Action action, String why) {
    /** What is done. */
    public enum Action {
        /** Ours and within its time. */
        KEEP,
        /** Must go; asked for, or would be. */
        RELEASE,
        /** Proven gone and written. */
        GONE,
        /** Should have been released and was refused or could not be seen; worth another try. */
        TROUBLE,
        /** Cannot be looked into as things are configured; another try changes nothing. */
        UNSEEN,
        /** Nothing to do about it here. */
        NOTE
    }
}
