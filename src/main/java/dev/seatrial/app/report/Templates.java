package dev.seatrial.app.report;

import io.quarkus.qute.Engine;
import io.quarkus.qute.Expression;
import io.quarkus.qute.HtmlEscaper;
import io.quarkus.qute.ReflectionValueResolver;
import io.quarkus.qute.ResultMapper;
import io.quarkus.qute.Template;
import io.quarkus.qute.TemplateNode.Origin;
import io.quarkus.qute.Variant;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The report's templates. Every expression is escaped for its format; templates have no way around it. */
final class Templates {
    private static final String MARKDOWN = "text/markdown";

    private final Template html;
    private final Template markdown;

    Templates() {
        Engine engine = Engine.builder()
                .addDefaults()
                .addValueResolver(new ReflectionValueResolver())
                .addResultMapper(new HtmlEscaper(List.of(Variant.TEXT_HTML)))
                .addResultMapper(new MarkdownEscaper())
                .strictRendering(true)
                .build();
        html = engine.parse(read("report.html"), Variant.forContentType(Variant.TEXT_HTML), "report.html");
        markdown = engine.parse(read("report.md"), Variant.forContentType(MARKDOWN), "report.md");
    }

    String html(ReportView view) {
        return html.data("r", view, "m", view.m()).render();
    }

    String markdown(ReportView view) {
        return markdown.data("r", view, "m", view.m()).render();
    }

    private static String read(String name) {
        try (InputStream in = Templates.class.getResourceAsStream("/report/" + name)) {
            if (in == null) {
                throw new IllegalStateException("missing /report/" + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read /report/" + name, e);
        }
    }

    /** Escapes expressions of Markdown templates. */
    private static final class MarkdownEscaper implements ResultMapper {
        @Override
        public boolean appliesTo(Origin origin, Object result) {
            return origin.getVariant()
                    .filter(v -> v.getContentType().equals(MARKDOWN))
                    .isPresent();
        }

        @Override
        public String map(Object result, Expression expression) {
            return Markdown.text(String.valueOf(result));
        }
    }
}
