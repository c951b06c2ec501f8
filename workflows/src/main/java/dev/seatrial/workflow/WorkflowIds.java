package dev.seatrial.workflow;

import dev.seatrial.domain.ledger.LeaseKey;

/** Workflow ids, derived so that anyone can address a workflow from the ledger alone. */
public final class WorkflowIds {
    private WorkflowIds() {}

    public static String evaluation(String evaluation) {
        return "evaluation-" + evaluation;
    }

    public static String trial(String evaluation, String candidate) {
        return "trial-" + evaluation + "-" + candidate;
    }

    public static String lease(LeaseKey key) {
        return "lease-" + key.evaluation() + "-" + key.candidate() + "-"
                + key.phase().word() + "-" + key.ordinal();
    }
}
