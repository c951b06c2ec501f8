package dev.seatrial.app.engine;

import dev.seatrial.workflow.EvaluationActivities;
import dev.seatrial.workflow.EvaluationWorkflowImpl;
import dev.seatrial.workflow.LeaseActivities;
import dev.seatrial.workflow.LeaseWorkflowImpl;
import dev.seatrial.workflow.Payloads;
import dev.seatrial.workflow.Queues;
import dev.seatrial.workflow.StageActivities;
import dev.seatrial.workflow.TrialActivities;
import dev.seatrial.workflow.TrialWorkflowImpl;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.common.converter.DataConverter;
import io.temporal.common.converter.DefaultDataConverter;
import io.temporal.common.converter.JacksonJsonPayloadConverter;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.testserver.TestServer;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactory;
import io.temporal.worker.WorkerOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The embedded engine: Temporal's in-memory service over an in-process channel (its network port would listen on all
 * interfaces). It keeps nothing over a restart; the ledger does.
 */
public final class Engine implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(10);
    /** A first replay on a busy machine loads classes for seconds; that is no deadlock. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Stages are mostly waiting on SSH; so many may wait at once. */
    private static final int STAGE_SLOTS = 64;

    private static final int RELEASE_SLOTS = 64;

    private final WorkflowClient client;
    private final WorkerFactory factory;
    private final Runnable endOfService;

    /** @param endOfService ends the service below, after its workers */
    Engine(WorkflowClient client, WorkerFactory factory, Runnable endOfService) {
        this.client = client;
        this.factory = factory;
        this.endOfService = endOfService;
    }

    /** Everything workflows can ask for. */
    public record Activities(
            LeaseActivities lease, StageActivities stage, TrialActivities trial, EvaluationActivities evaluation) {}

    /** Starts the service and its workers. Time runs as it does outside. */
    public static Engine embedded(Activities activities) {
        TestServer.InProcessTestServer server = TestServer.createServer(true);
        WorkflowServiceStubs stubs = WorkflowServiceStubs.newServiceStubs(WorkflowServiceStubsOptions.newBuilder()
                .setChannel(server.getChannel())
                .build());
        WorkflowClient client = WorkflowClient.newInstance(
                stubs,
                WorkflowClientOptions.newBuilder()
                        .setDataConverter(dataConverter())
                        .build());
        WorkerFactory factory = WorkerFactory.newInstance(client);
        register(factory, activities);
        factory.start();
        return new Engine(client, factory, () -> {
            stubs.shutdownNow();
            server.close();
        });
    }

    /** The form of values in histories. */
    public static DataConverter dataConverter() {
        return DefaultDataConverter.newDefaultInstance()
                .withPayloadConverterOverrides(new JacksonJsonPayloadConverter(Payloads.mapper()));
    }

    /** One worker a queue, so that no stage can take a release's slot. */
    public static void register(WorkerFactory factory, Activities activities) {
        Worker control = factory.newWorker(
                Queues.CONTROL,
                WorkerOptions.newBuilder()
                        .setDefaultDeadlockDetectionTimeout(PATIENCE.toMillis())
                        .build());
        control.registerWorkflowImplementationTypes(EvaluationWorkflowImpl.class, TrialWorkflowImpl.class);
        control.registerActivitiesImplementations(activities.trial(), activities.evaluation());
        Worker release = factory.newWorker(Queues.RELEASE, slots(RELEASE_SLOTS));
        release.registerWorkflowImplementationTypes(LeaseWorkflowImpl.class);
        release.registerActivitiesImplementations(activities.lease());
        Worker stages = factory.newWorker(Queues.STAGES, slots(STAGE_SLOTS));
        stages.registerActivitiesImplementations(activities.stage());
    }

    public WorkflowClient client() {
        return client;
    }

    @Override
    public void close() {
        factory.shutdown();
        factory.awaitTermination(GRACE.toSeconds(), TimeUnit.SECONDS);
        factory.shutdownNow();
        endOfService.run();
    }

    private static WorkerOptions slots(int n) {
        return WorkerOptions.newBuilder()
                .setMaxConcurrentActivityExecutionSize(n)
                .setDefaultDeadlockDetectionTimeout(PATIENCE.toMillis())
                .build();
    }
}
