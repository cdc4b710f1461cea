package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.run.SampleWriter.RowBytes;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowBytesTest {

    private final RowBytes row = new RowBytes();

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 9, 10, 99, 100, 1_795_284_541_483L, Long.MAX_VALUE, -1, -10, Long.MIN_VALUE})
    void number_is_written_with_all_its_digits_and_no_more(long number) {
        row.number(number);
        row.next();
        row.number(number);
        assertThat(taken()).isEqualTo(number + "," + number + "\n");
    }

    @Test
    void text_is_quoted_only_where_it_must_be_and_its_quotes_are_doubled() {
        row.text("plain text");
        row.next();
        row.text("é😀");
        row.next();
        row.text("a,b");
        row.next();
        row.text("said \"é\"\r\n");
        assertThat(taken()).isEqualTo("plain text,é😀,\"a,b\",\"said \"\"é\"\"\r\n\"\n");
    }

    @Test
    void long_texts_find_room_and_a_row_leaves_nothing_for_the_next() {
        String longText = "x".repeat(5000);
        row.text(longText);
        row.text("é".repeat(5000));
        row.plain(longText);
        assertThat(taken()).isEqualTo(longText + "é".repeat(5000) + longText + "\n");
        assertThat(taken()).isEqualTo("\n");
    }

    private String taken() {
        return new String(row.take(), StandardCharsets.UTF_8);
    }
}
