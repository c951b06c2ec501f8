package dev.seatrial.app.preflight;

import java.util.Set;

/** Codes of findings before renting; each has its words in the bundle {@code preflight.messages}. */
final class PreflightCodes {
    static final String PROVIDER_UNKNOWN = "PROVIDER_UNKNOWN";
    static final String SETTINGS_INCOMPLETE = "SETTINGS_INCOMPLETE";
    static final String ACCOUNT_REFUSED = "ACCOUNT_REFUSED";
    static final String ACCOUNT_UNREACHABLE = "ACCOUNT_UNREACHABLE";
    static final String MACHINE_UNREACHABLE = "MACHINE_UNREACHABLE";
    static final String PERMISSION_MISSING = "PERMISSION_MISSING";
    static final String CLOCK_SKEW = "CLOCK_SKEW";
    static final String OFFERS_UNREADABLE = "OFFERS_UNREADABLE";
    static final String NO_OFFER = "NO_OFFER";
    static final String NO_SUCH_COUNT = "NO_SUCH_COUNT";
    static final String WHOLE_MACHINE = "WHOLE_MACHINE";
    static final String NO_RATE = "NO_RATE";
    static final String NO_STOCK = "NO_STOCK";
    static final String IMAGE_UNKNOWN = "IMAGE_UNKNOWN";
    static final String OFFLINE_NOT_ACCEPTED = "OFFLINE_NOT_ACCEPTED";
    static final String OFFLINE_ACCEPTED = "OFFLINE_ACCEPTED";
    static final String CANDIDATE_CAP_SMALL = "CANDIDATE_CAP_SMALL";
    static final String CAP_SMALL = "CAP_SMALL";
    static final String CAP_MAY_STOP = "CAP_MAY_STOP";
    static final String BALANCE_LOW = "BALANCE_LOW";
    static final String BALANCE_MAY_END = "BALANCE_MAY_END";
    static final String PRICE_NOT_STATED = "PRICE_NOT_STATED";
    static final String TIME_TOO_SHORT = "TIME_TOO_SHORT";
    static final String TIME_MAY_STOP = "TIME_MAY_STOP";
    static final String TASK_UPLOAD = "TASK_UPLOAD";
    static final String TASK_FILES = "TASK_FILES";

    /** Parameter that holds the place in the plan, e.g. {@code phases.multi.gpus}. */
    static final String FIELD = "field";

    /** Nothing but another plan helps. */
    static final Set<String> PLAN = Set.of(
            PROVIDER_UNKNOWN, NO_SUCH_COUNT, NO_RATE, IMAGE_UNKNOWN, OFFLINE_NOT_ACCEPTED, TIME_TOO_SHORT, TASK_FILES);

    private PreflightCodes() {}
}
