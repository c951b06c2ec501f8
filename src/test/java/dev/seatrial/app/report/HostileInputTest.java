package dev.seatrial.app.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.AuditRow;
import dev.seatrial.domain.ledger.EvaluationRow;
import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseEvent;
import dev.seatrial.domain.ledger.LeaseRow;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.ledger.StageRunRow;
import dev.seatrial.domain.ledger.StoredEvent;
import dev.seatrial.domain.measure.Coverage;
import dev.seatrial.domain.measure.Finding;
import dev.seatrial.domain.measure.Measurement;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Reference;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.measure.StageResult;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.Phase;
import dev.seatrial.domain.plan.StageName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.joda.money.BigMoney;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Vendors, machines and tasks write what they like; no format may act on it, and no credential may show. */
class HostileInputTest {
    private static final Pattern TAG = Pattern.compile("<(/?)([a-zA-Z!][a-zA-Z0-9]*)([^>]*)>");
    private static final Set<String> OURS = Set.of(
            "!DOCTYPE",
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "div",
            "main",
            "p",
            "h1",
            "h2",
            "h3",
            "span",
            "dl",
            "dt",
            "dd",
            "section",
            "header",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "br",
            "article",
            "pre",
            "code",
            "strong",
            "ul",
            "li",
            "footer",
            "details",
            "summary",
            "svg",
            "rect",
            "line");
    private static final List<String> SECRETS = List.of(
            "sk-live-0123456789abcdefghij",
            "hf_ABCDEFGHIJKLMNOPQRSTUV",
            "LTAI5tAbCdEfGhIjKlMnOp",
            "correct-horse-battery",
            "s3cr3tvalue",
            "opensesame",
            "MIIEvQIBADANBg");
    private static final String TEXT =
            "</pre></td><script>alert(1)</script><img src=x onerror=alert(1)>\"' &amp; {m.product} {#if true}"
                    + " [click](javascript:alert(1)) ![i](http://evil.example/i) http://evil.example www.evil.example | cell | `code`"
                    + "\n# heading\n| a | b |\r\u0000\u0007\b\u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007 \u009b2J"
                    + " \u202eesrever\u2066 zero\u200bwidth \u2028 =1+1"
                    + " sk-live-0123456789abcdefghij hf_ABCDEFGHIJKLMNOPQRSTUV LTAI5tAbCdEfGhIjKlMnOp"
                    + " Authorization: Bearer correct-horse-battery password=s3cr3tvalue ssh://root:opensesame@host"
                    + " -----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----";

    @TempDir
    Path home;

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void htmlHoldsNoTagAndNoHandlerOfTheirs(String language) throws IOException {
        String html = Files.readString(reports().write(Sample.ID, Locale.forLanguageTag(language)));
        String afterStyle = html.substring(html.indexOf("</style>"));
        Matcher tags = TAG.matcher(afterStyle);
        while (tags.find()) {
            assertThat(OURS).as(tags.group()).contains(tags.group(2));
            // What is left without the quoted values are names of attributes.
            String names = tags.group(3).replaceAll("\"[^\"]*\"", "");
            assertThat(names).matches("(\\s+[a-zA-Z-]+=?)*\\s*/?").doesNotContainPattern("(?i)\\s(on|href|src)");
        }
        assertThat(afterStyle.replaceAll("<[^>]*>", "")).doesNotContain("<").doesNotContain(">");
        assertThat(html).contains("&lt;script&gt;").contains("{m.product}").contains("default-src 'none'");
        assertHarmless(html);
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void markdownKeepsItsTablesAndHoldsNoMarkupOfTheirs(String language) throws IOException {
        Path html = reports().write(Sample.ID, Locale.forLanguageTag(language));
        String markdown = Files.readString(html.resolveSibling("report." + language + ".md"));
        // An escaped character is only itself.
        assertThat(markdown.replaceAll("\\\\.", ""))
                .doesNotContain("<")
                .doesNotContain("](")
                .doesNotContain("![")
                .doesNotContain("://")
                .doesNotContain("www.evil")
                .doesNotContainPattern("(?m)^#+ heading");
        long columns = 0;
        for (String line : markdown.split("\n")) {
            long cells =
                    line.replaceAll("\\\\.", "").chars().filter(c -> c == '|').count();
            if (line.startsWith("|") && columns > 0) {
                assertThat(cells).as(line).isEqualTo(columns);
            }
            columns = line.startsWith("|") ? cells : 0;
        }
        assertHarmless(markdown);
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void aTerminalIsSentNothingButText(String language) {
        for (int columns : new int[] {200, 90, 40}) {
            assertHarmless(reports().text(Sample.ID, Locale.forLanguageTag(language), columns, false));
        }
        String colored = reports().text(Sample.ID, Locale.forLanguageTag(language), 100, true);
        assertThat(colored).contains("\u001b[");
        assertHarmless(colored.replaceAll("\u001b\\[[0-9;]+m", ""));
    }

    @Test
    void jsonTextsAreHarmlessToo() {
        reports()
                .json(Sample.ID)
                .findParents("reason")
                .forEach(n -> assertHarmless(n.path("reason").asText()));
        assertHarmless(reports().json(Sample.ID).toString());
    }

    @Test
    void anyBytesBecomeHarmlessText() {
        Random random = new Random(7);
        for (int i = 0; i < 3_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(60); n > 0; n--) {
                int kind = random.nextInt(4);
                text.append((char) (kind == 0 ? random.nextInt(0x20) : kind == 1 ? 0x1b : random.nextInt(0x10000)));
            }
            assertHarmless(HostileText.line(text.toString(), 40));
            assertHarmless(HostileText.block(text.toString(), 40));
            assertThat(HostileText.line(text.toString(), 40).length()).isLessThanOrEqualTo(40);
        }
    }

    @Test
    void ordinaryTextStaysAsItIs() {
        for (String text : List.of(
                "BF16 sustained 171 of 265 = 65 %, below 80 %",
                "tokens: 1234 per second, token/s=3000",
                "sim-1 没有 A100（容量不足）é",
                "sha256 9f3c2ab17de4006655443322110099887766554433221100ffeeddccbbaa9988",
                "GPU-1f2e3d4c-0000-1111-2222-333344445555 at 2026-11-30T01:00:00Z")) {
            assertThat(HostileText.line(text, 200)).isEqualTo(text);
        }
    }

    private static void assertHarmless(String text) {
        assertThat(text.codePoints()
                        .filter(c -> Character.getType(c) == Character.CONTROL && c != '\n' && c != '\t'
                                || Character.getType(c) == Character.FORMAT
                                || Character.getType(c) == Character.LINE_SEPARATOR
                                || Character.getType(c) == Character.PARAGRAPH_SEPARATOR)
                        .mapToObj(Integer::toHexString))
                .isEmpty();
        SECRETS.forEach(secret -> assertThat(text).doesNotContain(secret));
    }

    private DefaultReports reports() {
        FixedLedger ledger = new FixedLedger(
                new EvaluationRow(
                        Sample.ID,
                        TEXT,
                        TEXT,
                        "{}",
                        EvaluationStatus.FAILED,
                        false,
                        TEXT,
                        Sample.START,
                        Optional.empty(),
                        TEXT),
                BigMoney.parse("CNY 20"));
        ledger.trials.add(Sample.trial(TEXT, 0, Optional.of(Verdict.FAIL), TEXT, Optional.of(TEXT), Coverage.NOTHING));
        LeaseRow lease = Sample.withNote(
                Sample.lease(ledger, TEXT, Phase.SINGLE, 1, 1, LeaseState.RELEASED, "9", "0.1", 1, 9), TEXT);
        ledger.leases.set(0, lease);
        ledger.events.put(lease.id(), List.of(new LeaseEvent(lease.id(), 1, Sample.START, TEXT, TEXT)));
        ledger.audits.add(new AuditRow(Sample.START, "trial", TEXT, Sample.ID + "/" + TEXT + ": " + TEXT));
        ledger.runs.add(new StageRunRow(
                "run",
                Sample.ID,
                TEXT,
                Phase.SINGLE,
                1,
                StageName.ENVIRONMENT,
                lease.id(),
                1,
                "judged",
                1,
                1,
                TEXT,
                Sample.START,
                Optional.empty(),
                "ok"));
        String quoted =
                com.fasterxml.jackson.databind.node.TextNode.valueOf(TEXT).toString();
        ledger.stageEvents.put(
                "run",
                List.of(
                        new StoredEvent(
                                1, "{\"type\":\"fact\",\"name\":\"gpus\",\"value\":[{\"name\":" + quoted + "}]}"),
                        new StoredEvent(2, "{\"type\":\"fact\",\"name\":\"host\",\"value\":{\"os\":" + quoted + "}}"),
                        new StoredEvent(3, TEXT)));
        Measurement figure = new Measurement(
                TEXT,
                Optional.of(TEXT),
                Double.NaN,
                TEXT,
                3,
                1,
                2,
                Double.POSITIVE_INFINITY,
                TEXT,
                TEXT,
                true,
                Map.of("url", TEXT),
                Optional.of(new Reference(1, TEXT, TEXT, TEXT, -5)),
                Optional.of(Double.NaN),
                Verdict.FAIL);
        Finding finding = new Finding(TEXT, Severity.FAIL, Owner.VENDOR, TEXT, Map.of("a", TEXT), TEXT, TEXT);
        StageResult network = Sample.stage(
                TEXT, Phase.SINGLE, 1, StageName.NETWORK, lease, Verdict.FAIL, TEXT, List.of(figure), List.of(finding));
        StageResult task = Sample.stage(
                TEXT, Phase.SINGLE, 1, StageName.TASK, lease, Verdict.FAIL, TEXT, List.of(figure), List.of(finding));
        ledger.results.put(TEXT, List.of(network, task));
        return new DefaultReports(ledger.port(), home, json -> {
            throw new IllegalArgumentException(TEXT);
        });
    }
}
