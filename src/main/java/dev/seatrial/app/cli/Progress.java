package dev.seatrial.app.cli;

import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.TrialRow;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.provider.SshEndpoint;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.joda.money.BigMoney;

/**
 * Shows how an evaluation goes, from the ledger: on a terminal a block that is redrawn, otherwise a line for every
 * change.
 */
final class Progress {
    private final Ui ui;
    private final Ledger ledger;
    private final String evaluation;
    private final InstantSource clock;
    private final boolean live;
    private final Path keys;
    private final Map<String, String> shown = new HashMap<>();
    private final Set<String> told = new HashSet<>();
    private int drawn;

    /** @param keys where the keys of open leases are */
    Progress(Ui ui, Ledger ledger, String evaluation, InstantSource clock, boolean live, Path keys) {
        this.keys = keys;
        this.ui = ui;
        this.ledger = ledger;
        this.evaluation = evaluation;
        this.clock = clock;
        this.live = live;
    }

    /** Looks once and shows what has changed. */
    void look() {
        Optional<EvaluationRow> row = ledger.evaluation(evaluation);
        if (row.isEmpty()) {
            return;
        }
        List<TrialRow> trials = ledger.trials(evaluation);
        Map<String, LeaseRow> leases = new HashMap<>();
        List<String> events = new ArrayList<>();
        for (LeaseRow l : ledger.leases(evaluation)) {
            leases.put(l.key().candidate(), l);
            leaseEvent(l).ifPresent(events::add);
        }
        Map<String, StageRunRow> runs = new HashMap<>();
        ledger.stageRuns(evaluation).forEach(r -> runs.put(r.candidate(), r));
        for (TrialRow t : trials) {
            for (StageResult r : ledger.stageResults(evaluation, t.candidate())) {
                if (told.add(r.stageRun() + r.verdict())) {
                    events.add(ui.say(
                            "progress.stage",
                            t.candidate(),
                            r.phase().word() + (r.gpus() > 1 ? " ×" + r.gpus() : ""),
                            r.stage().word(),
                            r.verdict(),
                            r.reason()));
                }
            }
            if (t.state().equals("keeping")) {
                kept(Optional.ofNullable(leases.get(t.candidate()))).ifPresent(events::add);
            }
            if (t.verdict().isPresent() && told.add(t.candidate() + "/verdict")) {
                events.add(ui.say("progress.verdict", t.candidate(), t.verdict().get(), t.reason()));
            }
        }
        erase();
        events.forEach(e -> ui.err(stamp(row.get()) + e));
        BigMoney cap = ledger.cap(evaluation);
        for (TrialRow t : trials) {
            String state = state(t, Optional.ofNullable(leases.get(t.candidate())));
            if (live) {
                draw(t, state, Optional.ofNullable(runs.get(t.candidate())), cap);
            } else if (!state.equals(shown.put(t.candidate(), state))) {
                ui.err(stamp(row.get()) + line(t, state, cap));
            }
        }
    }

    /** Leaves the last block on the screen. */
    void end() {
        drawn = 0;
    }

    private Optional<String> leaseEvent(LeaseRow l) {
        if (!told.add(l.id() + l.state())) {
            return Optional.empty();
        }
        String key = "progress.lease." + l.state().name().toLowerCase(java.util.Locale.ROOT);
        if (l.state() == LeaseState.INTENDED || l.state() == LeaseState.CREATING) {
            return Optional.empty();
        }
        return Optional.of(ui.say(
                key,
                l.key().candidate(),
                l.gpus(),
                l.instance().map(Object::toString).orElse("–"),
                l.note(),
                l.costInPlan().map(Progress::money).orElse("")));
    }

    /** How to look at a machine that is held for evidence. */
    private Optional<String> kept(Optional<LeaseRow> lease) {
        return lease.filter(l -> l.endpoint().isPresent() && told.add(l.id() + "/kept"))
                .map(l -> ui.say(
                        "progress.kept",
                        l.key().candidate(),
                        ssh(l, keys),
                        l.timing().deadline(),
                        l.id()));
    }

    /** The command that logs in to a lease's machine. */
    static String ssh(LeaseRow lease, Path keys) {
        SshEndpoint e = lease.endpoint().orElseThrow();
        return "ssh -i " + keys.resolve(lease.id()) + " -p " + e.port() + " " + e.user() + "@" + e.host();
    }

    private String state(TrialRow t, Optional<LeaseRow> lease) {
        String where = t.stage().isEmpty() ? t.state() : t.stage();
        boolean releasing = lease.map(LeaseRow::state)
                .map(s -> s == LeaseState.RELEASING || s == LeaseState.OVERDUE)
                .orElse(false);
        String word = releasing && !t.state().equals("stage") ? "releasing" : where;
        return (t.phase().isEmpty() ? "" : t.phase() + " · ") + ui.say("state." + word);
    }

    private String line(TrialRow t, String state, BigMoney cap) {
        return ui.say("progress.line", t.candidate(), state, spent(t), money(cap));
    }

    private void draw(TrialRow t, String state, Optional<StageRunRow> run, BigMoney cap) {
        String bar = run.filter(r -> r.endedAt().isEmpty() && t.state().equals("stage"))
                .map(r -> " " + Math.round(r.progress() * 100) + " %  " + elapsed(r.startedAt()))
                .orElse("");
        ui.err("  " + line(t, state + bar, cap));
        drawn++;
    }

    private void erase() {
        if (live && drawn > 0) {
            ui.errStream().print("\u001b[" + drawn + "A\u001b[J");
            drawn = 0;
        }
    }

    private String spent(TrialRow t) {
        var s = ledger.spend(evaluation, t.candidate());
        return money(s.spent().plus(s.overrun()));
    }

    private String stamp(EvaluationRow row) {
        return (row.simulated() ? ui.say("simulated.tag") + " " : "") + elapsed(row.startedAt()) + "  ";
    }

    private String elapsed(Instant since) {
        Duration d = Duration.between(since, clock.instant());
        return String.format(
                java.util.Locale.ROOT, "%d:%02d", Math.max(0, d.toMinutes()), Math.max(0, d.toSecondsPart()));
    }

    static String money(BigMoney m) {
        return m.getAmount().setScale(2, RoundingMode.UP).toPlainString() + " " + m.getCurrencyUnit();
    }
}
