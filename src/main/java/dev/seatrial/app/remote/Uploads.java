package dev.seatrial.app.remote;

import dev.seatrial.domain.plan.Plan;
import dev.seatrial.domain.plan.StageName;
import dev.seatrial.domain.plan.TaskSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Brings the user's files to the machine in the background, since that may take longer than one activity may. A stage that
 * needs them waits for it within its own limit.
 */
final class Uploads implements AutoCloseable {
    private final Map<String, Job> jobs = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "seatrial-upload");
        thread.setDaemon(true);
        return thread;
    });

    /** How far an upload is. */
    sealed interface State {
        /** @param bytes sent @param total to send; 0 until known */
        record Running(long bytes, long total) implements State {}

        /** @param rate what was sent now; empty when it was there already */
        record Done(Optional<Transfer.Rate> rate) implements State {}

        record Failed(MachineException why) implements State {}
    }

    private record Job(CompletableFuture<State> end, AtomicLong sent, AtomicLong total) {}

    /** What a stage needs, by folder on the machine. Empty for most stages. */
    static Map<String, Path> needed(Plan plan, StageName stage) {
        Map<String, Path> needed = new LinkedHashMap<>();
        if (stage == StageName.TASK) {
            plan.task().flatMap(TaskSpec::upload).ifPresent(u -> needed.put(TaskFiles.TASK, Path.of(u)));
        }
        if (stage == StageName.TASK || stage == StageName.STORAGE) {
            plan.task().flatMap(TaskSpec::data).ifPresent(d -> needed.put(TaskFiles.DATA, Path.of(d)));
        }
        return needed;
    }

    /** Starts it unless it is under way or done, and says how far it is. A failed one starts anew at the next call. */
    State state(String stageRun, Host host, Map<String, Path> files, Duration limit) {
        Job job = jobs.computeIfAbsent(stageRun, k -> {
            AtomicLong sent = new AtomicLong();
            AtomicLong total = new AtomicLong();
            return new Job(
                    CompletableFuture.supplyAsync(() -> send(host, files, limit, sent, total), threads), sent, total);
        });
        if (!job.end.isDone()) {
            return new State.Running(job.sent.get(), job.total.get());
        }
        try {
            State state = job.end.join();
            if (state instanceof State.Failed) {
                jobs.remove(stageRun, job);
            }
            return state;
        } catch (CancellationException | CompletionException e) {
            jobs.remove(stageRun, job);
            return new State.Failed(
                    new MachineException(MachineException.Kind.LOCAL, "the upload was given up: " + e.getMessage(), e));
        }
    }

    private State send(Host host, Map<String, Path> files, Duration limit, AtomicLong sent, AtomicLong total) {
        try {
            Map<String, TaskFiles> missing = new LinkedHashMap<>();
            for (Map.Entry<String, Path> e : files.entrySet()) {
                TaskFiles content = TaskFiles.of(e.getValue());
                if (!content.arrived(host, e.getKey())) {
                    missing.put(e.getKey(), content);
                    total.addAndGet(content.bytes());
                }
            }
            if (missing.isEmpty()) {
                return new State.Done(Optional.empty());
            }
            long began = System.nanoTime();
            for (Map.Entry<String, TaskFiles> e : missing.entrySet()) {
                e.getValue().send(host, e.getKey(), limit, sent, threads);
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            return new State.Done(Optional.of(new Transfer.Rate(total.get(), seconds, java.util.List.of())));
        } catch (MachineException e) {
            return new State.Failed(e);
        }
    }

    void forget(String stageRun) {
        Optional.ofNullable(jobs.remove(stageRun)).ifPresent(j -> j.end.cancel(true));
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
