package dev.seatrial.app.remote;

/** Hostile text made harmless for one line of output. */
final class Text {
    private Text() {}

    /** Control characters become spaces, runs of space become one, the rest is cut off. */
    static String line(String text, int max) {
        String flat = text.replaceAll("[\\p{Cntrl}\\s]+", " ").trim();
        return flat.length() <= max ? flat : flat.substring(0, max) + "…";
    }

    /** Quoted for a POSIX shell; understood by csh and fish as well as long as it has no quote of its own. */
    static String quote(String argument) {
        return "'" + argument.replace("'", "'\\''") + "'";
    }
}
