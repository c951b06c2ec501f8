package dev.seatrial.simulator.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.seatrial.simulator.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultRuleTest {
    private final TestClock clock = new TestClock();
    private final FaultBook book = new FaultBook(clock);

    @Test
    void strikesTheCallItNames() throws JsonProcessingException {
        book.add(rule("{'operation': 'list', 'call': 2, 'action': 'html'}"));
        assertThat(struck(FaultRule.Operation.LIST, 4)).containsExactly(false, true, false, false);
        assertThat(struck(FaultRule.Operation.GET, 2)).containsExactly(false, false);
    }

    @Test
    void strikesARangeAtMostSoManyTimes() throws JsonProcessingException {
        book.add(rule("{'operation': 'list', 'from': 2, 'times': 2, 'action': 'html'}"));
        assertThat(struck(FaultRule.Operation.LIST, 5)).containsExactly(false, true, true, false, false);
    }

    @Test
    void stopsAfterItsTime() throws JsonProcessingException {
        book.add(rule("{'operation': 'release', 'forSeconds': 5, 'action': 'status'}"));
        assertThat(struck(FaultRule.Operation.RELEASE, 1)).containsExactly(true);
        clock.advance(Duration.ofMillis(4999));
        assertThat(struck(FaultRule.Operation.RELEASE, 1)).containsExactly(true);
        clock.advance(Duration.ofMillis(1));
        assertThat(struck(FaultRule.Operation.RELEASE, 1)).containsExactly(false);
    }

    @Test
    void theSameSeedThrowsTheSameDice() throws JsonProcessingException {
        List<List<Boolean>> runs = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            book.clear();
            book.add(rule("{'operation': 'get', 'probability': 0.3, 'seed': 7, 'action': 'drop'}"));
            runs.add(struck(FaultRule.Operation.GET, 200));
        }
        assertThat(runs.get(0)).isEqualTo(runs.get(1));
        assertThat(runs.get(0).stream().filter(hit -> hit).count()).isBetween(40L, 80L);
    }

    @Test
    void countsOnlyTheInstancesItIsFor() throws JsonProcessingException {
        book.add(rule("{'operation': 'release', 'match': 'stuck', 'call': 2, 'action': 'status'}"));
        assertThat(book.meet(FaultRule.Operation.RELEASE, "st-stuck 1").spoiler())
                .isEmpty();
        assertThat(book.meet(FaultRule.Operation.RELEASE, "st-other 2").spoiler())
                .isEmpty();
        assertThat(book.meet(FaultRule.Operation.RELEASE, "st-stuck 1").spoiler())
                .isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]|a fault is a JSON object",
                "{'operation': 'fly', 'action': 'drop'}|must be one of create, get, list",
                "{'operation': 'list'}|'action' must be one of",
                "{'operation': 'list', 'action': 'drop', 'cal': 1}|unknown key 'cal'",
                "{'operation': 'list', 'action': 'drop', 'call': 0}|'call' must be a whole number",
                "{'operation': 'list', 'action': 'drop', 'call': 1, 'to': 3}|either 'call' or",
                "{'operation': 'list', 'action': 'drop', 'probability': 2}|'probability' must be a number from 0",
                "{'operation': 'list', 'action': 'drop', 'effect': 'after'}|create and release only",
                "{'operation': 'list', 'action': 'delay', 'delayMillis': 999999}|'delayMillis' must be"
            })
    void saysWhatIsWrongWithARule(String json, String message) {
        // A quote is CSV's own quote character too, so rules are written with doubled or single ones here.
        assertThatThrownBy(() -> rule(json))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    private List<Boolean> struck(FaultRule.Operation operation, int calls) {
        List<Boolean> hits = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            hits.add(book.meet(operation, "").spoiler().isPresent());
        }
        return hits;
    }

    private static FaultRule rule(String json) throws JsonProcessingException {
        return FaultRule.read(new ObjectMapper().readTree(json.replace('\'', '"')));
    }
}
