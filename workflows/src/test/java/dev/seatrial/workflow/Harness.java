package dev.seatrial.workflow;

import io.temporal.client.WorkflowClientOptions;
import io.temporal.client.WorkflowOptions;
import io.temporal.common.converter.DefaultDataConverter;
import io.temporal.common.converter.JacksonJsonPayloadConverter;
import io.temporal.common.interceptors.WorkerInterceptor;
import io.temporal.testing.TestEnvironmentOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactoryOptions;
import io.temporal.worker.WorkerOptions;
import java.time.Instant;

/** Temporal on skipped time with nothing cached, so that every workflow task replays from the start. */
final class Harness implements AutoCloseable {
    /** On a busy machine loading classes alone can take longer than the SDK lets workflow code run by default. */
    static final WorkerOptions PATIENT = WorkerOptions.newBuilder()
            .setDefaultDeadlockDetectionTimeout(30_000)
            .build();

    final Faults faults = new Faults();
    final TestWorkflowEnvironment env = TestWorkflowEnvironment.newInstance(options(faults));
    final World world = new World(env::currentTimeMillis);

    final Worker control = env.newWorker(Queues.CONTROL, PATIENT);
    final Worker release = env.newWorker(Queues.RELEASE, PATIENT);

    Harness() {
        control.registerWorkflowImplementationTypes(EvaluationWorkflowImpl.class, TrialWorkflowImpl.class);
        control.registerActivitiesImplementations(world);
        release.registerWorkflowImplementationTypes(LeaseWorkflowImpl.class);
        release.registerActivitiesImplementations(world);
        env.newWorker(Queues.STAGES).registerActivitiesImplementations(world);
        env.start();
    }

    static TestEnvironmentOptions options(WorkerInterceptor... interceptors) {
        return TestEnvironmentOptions.newBuilder()
                .setWorkflowClientOptions(WorkflowClientOptions.newBuilder()
                        .setDataConverter(converter())
                        .setIdentity("test")
                        .build())
                .setWorkerFactoryOptions(WorkerFactoryOptions.newBuilder()
                        .setWorkflowCacheSize(0)
                        .setWorkerInterceptors(interceptors)
                        .build())
                .build();
    }

    static DefaultDataConverter converter() {
        return DefaultDataConverter.newDefaultInstance()
                .withPayloadConverterOverrides(new JacksonJsonPayloadConverter(Payloads.mapper()));
    }

    Instant now() {
        return Instant.ofEpochMilli(env.currentTimeMillis());
    }

    <T> T stub(Class<T> type, String queue, String id) {
        return env.getWorkflowClient()
                .newWorkflowStub(
                        type,
                        WorkflowOptions.newBuilder()
                                .setTaskQueue(queue)
                                .setWorkflowId(id)
                                .build());
    }

    @Override
    public void close() {
        env.close();
    }
}
