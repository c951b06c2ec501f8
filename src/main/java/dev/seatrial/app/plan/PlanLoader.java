package dev.seatrial.app.plan;

import dev.seatrial.domain.plan.Plan;
import java.nio.file.Path;

/** Reads plan files. */
public interface PlanLoader {
    /**
     * Reads, validates and completes a plan. Nothing is rented, no network is used.
     *
     * @throws PlanException with every error found, each with file, line, column and what would be right
     */
    Plan load(Path file) throws PlanException;
}
