package dev.seatrial.app.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextWidthTest {
    @ParameterizedTest
    @CsvSource({"abc,3", "供应商,6", "是，2/2,7", "é,1", "🚢,2", "한국,4", "A100（单卡）,12"})
    void chineseTakesTwoColumns(String text, int columns) {
        assertThat(TextWidth.of(text)).isEqualTo(columns);
    }

    @Test
    void linesBreakAtSpacesBetweenChineseAndElseAnywhere() {
        assertThat(TextWidth.wrap("one two three", 7)).isEqualTo(List.of("one two", "three"));
        assertThat(TextWidth.wrap("单卡未过，没有租用多卡", 10)).isEqualTo(List.of("单卡未过，", "没有租用多", "卡"));
        assertThat(TextWidth.wrap("abcdefghij", 4)).isEqualTo(List.of("abcd", "efgh", "ij"));
        assertThat(TextWidth.wrap("", 4)).isEqualTo(List.of(""));
        assertThat(TextWidth.wrap("below 80 %", 9)).isEqualTo(List.of("below", "80 %"));
    }

    @Test
    void noLineIsWiderThanAsked() {
        String text = "BF16 持续 171 of 265 = 65 %，below 80 %; supercalifragilistic 一二三四五六七";
        for (int columns = 4; columns < 40; columns++) {
            int most = columns;
            assertThat(TextWidth.wrap(text, columns)).allMatch(line -> TextWidth.of(line) <= most);
        }
    }
}
