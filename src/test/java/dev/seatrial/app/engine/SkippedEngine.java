package dev.seatrial.app.engine;

import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.worker.WorkerFactory;

/** The engine's workers on a test service whose time can be skipped. */
public final class SkippedEngine {
    private SkippedEngine() {}

    /** Closing it ends the workers alone; the service stays the caller's. */
    public static Engine on(TestWorkflowEnvironment service, Engine.Activities activities) {
        WorkerFactory workers = service.getWorkerFactory();
        Engine.register(workers, activities);
        service.start();
        return new Engine(service.getWorkflowClient(), workers, () -> {});
    }
}
