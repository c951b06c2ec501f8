package dev.seatrial.app;

import dev.seatrial.app.bench.GpuCatalogue;
import dev.seatrial.app.control.ControlTarget.Submission;
import dev.seatrial.app.control.ControlTarget.Submitted;
import dev.seatrial.app.plan.PlanException;
import dev.seatrial.app.plan.PlanException.PlanError;
import dev.seatrial.app.plan.YamlPlanLoader;
import dev.seatrial.app.service.Starter;
import dev.seatrial.app.service.Starter.Checked;
import dev.seatrial.app.service.Starter.Obstacle;
import dev.seatrial.domain.plan.Plan;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/** Takes the text of a plan from outside to a running evaluation, or says what is wrong with it. */
final class PlanDesk {
    private final App app;
    private final Starter starter;

    PlanDesk(App app, Starter starter) {
        this.app = app;
        this.starter = starter;
    }

    Submitted submit(Submission submission) {
        Path source = submission.file();
        Plan plan;
        try {
            plan = new YamlPlanLoader(
                            app.clock(), ZoneId.systemDefault(), GpuCatalogue.load(app.own()), submission.locale())
                    .parse(submission.yaml(), source);
        } catch (PlanException e) {
            return new Submitted.Refused(
                    Obstacle.PLAN, e.errors().stream().map(PlanError::toString).toList(), List.of());
        }
        Checked checked = starter.check(plan, source, submission.locale());
        Optional<Obstacle> obstacle = checked.obstacle(submission.partial());
        if (obstacle.isPresent()) {
            return new Submitted.Refused(obstacle.get(), checked.errors(), checked.unusable());
        }
        try {
            return new Submitted.Started(
                    starter.start(checked, "control", Optional.of(submission.key())), checked.unusable());
        } catch (IllegalArgumentException e) {
            return new Submitted.Conflict(String.valueOf(e.getMessage()));
        }
    }
}
