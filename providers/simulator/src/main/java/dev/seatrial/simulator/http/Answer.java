package dev.seatrial.simulator.http;

import java.util.Map;

/**
 * What goes back.
 *
 * @param ending how it is sent
 */
record Answer(int status, String contentType, byte[] body, Map<String, String> headers, Ending ending) {
    /** How an answer is sent. */
    enum Ending {
        WHOLE,
        /** The connection is reset before a byte was sent. */
        DROPPED,
        /** The connection is reset in the middle of the body. */
        CUT
    }

    static final Answer DROPPED = new Answer(0, "", new byte[0], Map.of(), Ending.DROPPED);

    Answer with(byte[] otherBody) {
        return new Answer(status, contentType, otherBody, headers, ending);
    }

    Answer with(Ending other) {
        return new Answer(status, contentType, body, headers, other);
    }
}
