/**
 * What a trial is: three workflows and the activity interfaces they use. No I/O here.
 *
 * <p>{@code EvaluationWorkflow} starts a {@code TrialWorkflow} per candidate and ends after all of them;
 * {@code TrialWorkflow} runs phases, stages and the gate and asks for one instance at a time;
 * {@code LeaseWorkflow} owns one instance from the intention until its absence is proven and knows nothing of
 * benchmarks. A parent ends only after its children have. Ledger rows are written by activities, before the vendor is
 * called. Payloads are small records; measurements stay in the ledger.
 */
@NullMarked
package dev.seatrial.workflow;

import org.jspecify.annotations.NullMarked;
