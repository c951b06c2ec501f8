package dev.seatrial.app.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seatrial.domain.ledger.EvaluationStatus;
import dev.seatrial.domain.ledger.LeaseState;
import dev.seatrial.domain.measure.CoverageLevel;
import dev.seatrial.domain.measure.Owner;
import dev.seatrial.domain.measure.Severity;
import dev.seatrial.domain.measure.Verdict;
import dev.seatrial.domain.plan.StageName;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessagesTest {
    private static final Pattern PLACE = Pattern.compile("\\{[0-9]}");

    private final Messages en = Messages.of(Locale.ENGLISH);
    private final Messages zh = Messages.of(Locale.SIMPLIFIED_CHINESE);

    @Test
    void bothLanguagesHaveTheSameKeysAndPlaces() {
        assertThat(new TreeSet<>(zh.words().keySet()))
                .isEqualTo(new TreeSet<>(en.words().keySet()));
        en.words().forEach((key, text) -> assertThat(places(zh.words().getOrDefault(key, "")))
                .as(key)
                .isEqualTo(places(text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void everyWordOfTheDomainHasAText(String language) {
        Messages m = Messages.of(Locale.forLanguageTag(language));
        Stream.of(
                        Arrays.stream(Verdict.values()).map(v -> "verdict." + v.name()),
                        Arrays.stream(EvaluationStatus.values()).map(s -> "status." + s.word()),
                        Arrays.stream(LeaseState.values()).map(s -> "state." + s.name()),
                        Arrays.stream(StageName.values()).map(s -> "stage." + s.word()),
                        Arrays.stream(Severity.values()).map(s -> "severity." + s.word()),
                        Arrays.stream(Owner.values()).map(o -> "owner." + o.word()),
                        Arrays.stream(CoverageLevel.values()).map(c -> "coverage.level." + c.word()),
                        MachineFacts.KEYS.stream().map(k -> "machine." + k))
                .flatMap(keys -> keys)
                .forEach(key -> assertThat(m.text(key)).as(key).isNotBlank());
    }

    @Test
    void languagesAreChosenByTheLocaleAndEnglishIsTheRest() {
        assertThat(List.of(Locale.TAIWAN, Locale.CHINA).stream()
                        .map(l -> Messages.of(l).language()))
                .containsOnly("zh");
        assertThat(Messages.of(Locale.FRANCE).language()).isEqualTo("en");
    }

    @Test
    void valuesAreFilledInOnceAndAsTheyAre() {
        assertThat(en.text("labelled", "{1}", "$0 \\ x")).isEqualTo("{1}: $0 \\ x");
    }

    private static TreeSet<String> places(String text) {
        TreeSet<String> found = new TreeSet<>();
        PLACE.matcher(text).results().forEach(r -> found.add(r.group()));
        return found;
    }
}
