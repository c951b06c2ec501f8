package dev.seatrial.app.e2e;

/** Plans and vendors that the end-to-end tests share. */
final class Plans {
    /** Nobody but our own processes ends an instance, and the bill is not told: everything rests on us. */
    static final String ALONE = """
            {"extends": "%s", "deadline": {"supported": false}, "traits": {"cost": false}, "faults": [%s]}""";

    /** Without the network stage, whose transfers take real time. */
    static final String SINGLE = "single: { stages: [environment, compute, storage] }";

    static final String MULTI = "multi: { gpus: [8], stages: [environment, compute, interconnect] }";

    private Plans() {}

    /** One that is wholly healthy but for some faults. */
    static String faulty(String... faults) {
        return alone("steady", faults);
    }

    static String alone(String profile, String... faults) {
        return ALONE.formatted(profile, String.join(", ", faults));
    }

    /** An offer that differs from those of a healthy vendor. */
    static String offer(int gpus, String hourly, String increment, int minimumSeconds) {
        return """
                {"id": "x%d", "region": "sim-1", "gpu": "A100-SXM4-80G", "vendorGpu": "A100 (simulated)", "gpus": %d,
                 "hourly": %s, "increment": "%s", "minimumSeconds": %d, "refund": "none", "stopped": "cannot be stopped",
                 "available": "yes"}""".formatted(gpus, gpus, hourly, increment, minimumSeconds);
    }

    /** @param candidates lines of the list @param phases lines of the map */
    static String plan(String cap, String candidates, String... phases) {
        return """
                plan: trial
                gpu: A100-SXM4-80G
                preset: quick
                accept: [cap-not-guaranteed-offline]
                budget: { cap: %s, currency: CNY, fx: { USD: 7.10 } }
                candidates:
                %sphases:
                %slimits:
                  provisioning: 60s
                  evaluation: 2h
                  stages: { environment: 15s, compute: 20s, storage: 20s, network: 20s, interconnect: 20s }
                """.formatted(
                        cap, candidates.indent(2), String.join("\n", phases).indent(2));
    }
}
