package dev.seatrial.app.report;

import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.Spend;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.plan.Plan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.joda.money.BigMoney;

/**
 * Everything a report says of one evaluation, as the ledger has it at one moment. All texts in it are as they were stored:
 * hostile until {@link HostileText} has seen them.
 *
 * @param evaluation the evaluation
 * @param plan the plan, unless what is stored can no longer be read
 * @param cap what it may spend
 * @param spend what it has spent and reserved, in the plan's currency
 * @param trials in the plan's order
 * @param savings what the gate kept from being spent
 */
record ReportModel(
        EvaluationRow evaluation,
        Optional<Plan> plan,
        BigMoney cap,
        Spend spend,
        List<Trial> trials,
        List<GateSaving> savings) {
    ReportModel {
        trials = List.copyOf(trials);
        savings = List.copyOf(savings);
    }

    /** Names of simulated candidates. */
    List<String> simulated() {
        return trials.stream()
                .filter(t -> t.row().simulated())
                .map(t -> t.row().candidate())
                .toList();
    }

    boolean allSimulated() {
        return evaluation.simulated() || (!trials.isEmpty() && simulated().size() == trials.size());
    }

    /** Whether every lease has come to its end. */
    boolean nothingOpen() {
        return trials.stream().allMatch(Trial::nothingOpen);
    }

    /**
     * One candidate's part.
     *
     * @param row the trial
     * @param spend its money
     * @param cap its own cap, or the evaluation's
     * @param leases in order of request
     * @param stages judged stages in order of start, repeats included
     * @param unjudged stages that were started and have no result
     * @param machine what the machine of its single phase said it is
     * @param notes what happened on the way to a machine, repeats joined
     */
    record Trial(
            TrialRow row,
            Spend spend,
            BigMoney cap,
            List<Lease> leases,
            List<StageResult> stages,
            List<StageRunRow> unjudged,
            MachineFacts machine,
            List<Note> notes) {
        Trial {
            leases = List.copyOf(leases);
            stages = List.copyOf(stages);
            unjudged = List.copyOf(unjudged);
            notes = List.copyOf(notes);
        }

        boolean nothingOpen() {
            return leases.stream().allMatch(l -> l.row().state().terminal());
        }

        /** The last result of each stage and rung: the one that counts. */
        List<StageResult> latest() {
            Map<String, StageResult> last = new LinkedHashMap<>();
            for (StageResult s : stages) {
                String key = s.phase() + "/" + s.gpus() + "/" + s.stage();
                last.remove(key);
                last.put(key, s);
            }
            return List.copyOf(last.values());
        }

        /** Findings of the results that count, each said once, gravest first. */
        List<Noticed> findings() {
            Map<String, Noticed> all = new LinkedHashMap<>();
            for (StageResult s : latest()) {
                for (Finding f : s.findings()) {
                    all.putIfAbsent(f.code() + "\n" + f.message(), new Noticed(s, f));
                }
            }
            List<Noticed> sorted = new ArrayList<>(all.values());
            sorted.sort((a, b) -> b.finding().severity().compareTo(a.finding().severity()));
            return sorted;
        }
    }

    /**
     * Something about provisioning or money that is a result.
     *
     * @param code short code, e.g. {@code NO_CAPACITY}
     * @param words the vendor's words or ours
     * @param times how often
     */
    record Note(String code, String words, int times) {}

    /** A finding and the stage that saw it. */
    record Noticed(StageResult stage, Finding finding) {}

    /** A lease with its story. */
    record Lease(LeaseRow row, List<LeaseEvent> events, ReleaseProof proof) {
        Lease {
            events = List.copyOf(events);
        }
    }

    /**
     * Multi-GPU money that was not spent because a baseline failed.
     *
     * @param candidate candidate
     * @param amount planned cost of the rungs that were not started, in the plan's currency
     * @param gpus the rungs
     * @param perGpuHour price of one GPU for one hour by the candidate's own single lease, in the offer's currency
     * @param minutes planned length of one rung, repeats included
     */
    record GateSaving(String candidate, BigMoney amount, List<Integer> gpus, BigMoney perGpuHour, long minutes) {
        GateSaving {
            gpus = List.copyOf(gpus);
        }
    }
}
