package dev.seatrial.app.report;

import dev.seatrial.app.report.ReportModel.Lease;
import dev.seatrial.app.report.ReportModel.Trial;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.joda.money.BigMoney;

/** Puts leases, their ends and their proofs into words. */
final class LeasesView {
    private final ReportModel model;
    private final Messages m;

    LeasesView(ReportModel model, Messages messages) {
        this.model = model;
        this.m = messages;
    }

    List<ReportView.LeaseLine> lines() {
        return model.trials().stream().flatMap(t -> lines(t).stream()).toList();
    }

    /** Requests that were refused with the same words share a line: waiting for capacity can make dozens of them. */
    private List<ReportView.LeaseLine> lines(Trial t) {
        Map<String, Integer> alike = new HashMap<>();
        List<Lease> shown = new ArrayList<>();
        for (Lease l : t.leases()) {
            if (alike.merge(alike(l), 1, Integer::sum) == 1) {
                shown.add(l);
            }
        }
        return shown.stream()
                .map(l -> line(t, l, alike.getOrDefault(alike(l), 1)))
                .toList();
    }

    private static String alike(Lease l) {
        return l.proof().kind() == ReleaseProof.Kind.NEVER_CREATED
                ? l.row().phase() + " " + l.row().gpus() + " " + l.row().note()
                : l.row().id();
    }

    private ReportView.LeaseLine line(Trial t, Lease l, int times) {
        LeaseRow row = l.row();
        return new ReportView.LeaseLine(
                HostileText.line(t.row().candidate(), ViewBuilder.WORD),
                m.text("phase." + row.phase().word() + ".short"),
                row.id(),
                row.instance()
                        .map(i -> HostileText.line(i.value(), ViewBuilder.WORD))
                        .orElse("–"),
                String.valueOf(row.gpus()),
                m.text("perHour", Amounts.withCurrency(row.pricing().totalHourly())),
                Times.moment(row.timing().requestedAt()),
                row.readyAt()
                        .map(at ->
                                m.text("readyAfter", Times.took(m, row.timing().requestedAt(), at)))
                        .orElse("–"),
                m.text(row.state() == LeaseState.HANDED_BACK ? "labelHandedBack" : "labelReleasedAt"),
                row.releasedAt().map(Times::moment).orElse("–"),
                row.cost().map(c -> cost(c, l)).orElse("–"),
                m.text("state." + row.state().name()),
                proof(l),
                proofClass(l.proof().kind()),
                times > 1
                        ? m.text("times", HostileText.line(row.note(), ViewBuilder.SENTENCE), times)
                        : HostileText.line(row.note(), ViewBuilder.SENTENCE),
                l.events().stream()
                        .map(e -> Times.clock(e.at()) + "  " + HostileText.line(e.type(), 40) + "  "
                                + HostileText.line(e.detail(), 300))
                        .toList());
    }

    /** With what it would be by time and price, where the vendor bills something else. */
    private String cost(BigMoney billed, Lease l) {
        String amount = Amounts.withCurrency(billed);
        return l.events().stream()
                .filter(e -> e.type().equals(LeaseEvent.COST_DIFFERS))
                .map(LeaseEvent::detail)
                .filter(d -> d.contains(LeaseEvent.AGAINST))
                .map(d -> d.substring(d.indexOf(LeaseEvent.AGAINST) + LeaseEvent.AGAINST.length()))
                .reduce((a, b) -> b)
                .map(counted -> amount + " " + m.text("costCounted", HostileText.line(counted, ViewBuilder.WORD)))
                .orElse(amount);
    }

    private String proof(Lease l) {
        ReleaseProof p = l.proof();
        return switch (p.kind()) {
            case PROVEN -> {
                List<String> parts = new ArrayList<>();
                parts.add(m.text("proof.gone"));
                if (!p.absent().isEmpty()) {
                    parts.add(m.text(
                            "proof.absent",
                            p.absent().size(),
                            Times.clock(p.absent().get(0)),
                            Times.clock(p.absent().get(p.absent().size() - 1))));
                }
                if (p.refused() > 0) {
                    parts.add(m.text("proof.refused", p.asked(), p.refused()));
                }
                yield String.join(m.text("semicolon"), parts);
            }
            case HANDED_BACK -> m.text("proof.handedBack", l.row().id());
            case RETURNED -> m.text("proof.returned");
            case NEVER_CREATED -> m.text("proof.never");
            case NOT_SENT -> m.text("proof.notSent");
            case OPEN -> m.text("proof.open");
        };
    }

    private static String proofClass(ReleaseProof.Kind kind) {
        return switch (kind) {
            case PROVEN, RETURNED -> "pass";
            case HANDED_BACK -> "warn";
            case NEVER_CREATED -> "none";
            case NOT_SENT, OPEN -> "fail";
        };
    }
}
