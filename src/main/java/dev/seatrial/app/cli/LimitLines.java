package dev.seatrial.app.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.seatrial.app.preflight.PreflightReport.CandidateCheck;
import dev.seatrial.app.preflight.PreflightReport.LeaseEstimate;
import dev.seatrial.domain.ledger.Ledger;
import dev.seatrial.domain.ledger.LedgerException;
import dev.seatrial.domain.money.LimitUse;
import dev.seatrial.domain.money.SpendLimit.Period;
import dev.seatrial.domain.money.SpendLimits;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import org.joda.money.BigMoney;

/** Shows how far the limits over all evaluations are used. */
final class LimitLines {
    private static final DateTimeFormatter WHEN = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm xxx");

    private LimitLines() {}

    /**
     * One line a limit.
     *
     * @param ledger empty when nothing was ever spent
     * @param simulated which money is counted
     */
    static void tell(
            Ui ui, Optional<Ledger> ledger, SpendLimits limits, boolean simulated, Instant now, ArrayNode list) {
        for (LimitUse use : uses(ui, ledger, limits, simulated, now)) {
            String account = use.limit().account().orElse(ui.say("limits.all"));
            String tag = simulated ? ui.say("simulated.tag") + " " : "";
            ObjectNode n = list.addObject()
                    .put("account", use.limit().account().orElse(null))
                    .put("period", use.limit().period().word())
                    .put("simulated", simulated)
                    .put("currency", limits.currency().getCode())
                    .put("amount", plain(use.limit().amount()));
            if (use.limit().period() == Period.BALANCE) {
                ui.out(ui.say(
                        "limits.balance",
                        tag + account,
                        Progress.money(use.limit().amount())));
                continue;
            }
            Instant resets = use.resets().orElseThrow();
            n.put("used", plain(use.used())).put("left", plain(use.left())).put("resets", resets.toString());
            ui.out(ui.say(
                    "limits.line",
                    tag + account,
                    ui.say("limits." + use.limit().period().word()),
                    Progress.money(use.limit().amount()),
                    Progress.money(use.used()),
                    left(use),
                    WHEN.format(resets.atZone(limits.zone()))));
        }
    }

    /** Says so when a candidate's first machine does not fit what is left now. */
    static void tooLittle(Ui ui, Optional<Ledger> ledger, SpendLimits limits, CandidateCheck candidate, Instant now) {
        Optional<LeaseEstimate> first = candidate.leases().stream().findFirst();
        if (first.isEmpty()) {
            return;
        }
        Optional<BigMoney> needed =
                limits.up(first.get().worst()).or(() -> limits.up(first.get().worstInPlan()));
        if (needed.isEmpty()) {
            ui.out(ui.say(
                    "limits.rate", candidate.candidate(), first.get().worst().getCurrencyUnit(), limits.currency()));
            return;
        }
        for (LimitUse use : uses(ui, ledger, limits, candidate.simulated(), now)) {
            boolean own =
                    use.limit().account().map(candidate.provider()::equals).orElse(true);
            if (!own) {
                continue;
            }
            if (use.limit().period() == Period.BALANCE) {
                balance(ui, limits, candidate, use, needed.get());
            } else if (needed.get().isGreaterThan(use.left())) {
                ui.out(ui.say(
                        "limits.short",
                        candidate.candidate(),
                        Progress.money(needed.get()),
                        ui.say("limits." + use.limit().period().word()),
                        left(use)));
            }
        }
    }

    private static void balance(Ui ui, SpendLimits limits, CandidateCheck candidate, LimitUse use, BigMoney needed) {
        Optional<BigMoney> balance = candidate.balance().flatMap(b -> limits.down(b.toBigMoney()));
        if (balance.isEmpty()) {
            ui.out(ui.say("limits.balance.unknown", candidate.candidate(), candidate.provider()));
        } else if (balance.get().minus(needed).isLessThan(use.limit().amount())) {
            ui.out(ui.say(
                    "limits.balance.short",
                    candidate.candidate(),
                    Progress.money(needed),
                    Progress.money(balance.get()),
                    Progress.money(use.limit().amount())));
        }
    }

    /** Rounded down: what is shown must be there. */
    private static String left(LimitUse use) {
        BigMoney left = use.left();
        return left.getAmount().setScale(2, java.math.RoundingMode.DOWN).toPlainString() + " " + left.getCurrencyUnit();
    }

    private static List<LimitUse> uses(
            Ui ui, Optional<Ledger> ledger, SpendLimits limits, boolean simulated, Instant now) {
        if (ledger.isEmpty()) {
            return limits.limits().stream()
                    .map(l -> new LimitUse(
                            l,
                            BigMoney.zero(limits.currency()),
                            l.windows(now, now, limits.zone()).stream()
                                    .findFirst()
                                    .map(w -> w.to())))
                    .toList();
        }
        try {
            return ledger.get().limitUse(limits, simulated, now);
        } catch (LedgerException e) {
            ui.err(ui.say("limits.untold", e.getMessage()));
            return List.of();
        }
    }

    private static String plain(BigMoney amount) {
        return amount.getAmount().toPlainString();
    }
}
