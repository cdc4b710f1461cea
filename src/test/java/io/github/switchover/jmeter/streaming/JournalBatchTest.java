package io.github.switchover.jmeter.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which lines of a journal are the next to send. */
class JournalBatchTest {

    private static final String POINT = "m v=1i 1700000000000000000\n";
    private static final String RUBBISH = "m v=1i 17\n";

    @TempDir
    Path place;

    private Path journal;

    @BeforeEach
    void begin() {
        journal = place.resolve("journal.lp");
    }

    @Test
    void a_batch_has_as_many_lines_as_a_request_should_have_and_those_that_are_no_points_count() throws IOException {
        Files.writeString(journal, (POINT + RUBBISH).repeat(4_000));
        JournalBatch batch = read(0);
        assertThat(batch.points()).isEqualTo(2_500);
        assertThat(batch.rubbish()).isEqualTo(2_500);
        assertThat(batch.size()).isEqualTo((POINT + RUBBISH).length() * 2_500);
        assertThat(batch.lines()).asString(StandardCharsets.UTF_8).isEqualTo(POINT.repeat(2_500));
    }

    @Test
    void all_lines_from_an_offset_on_are_still_to_be_sent_but_empty_ones() throws IOException {
        Files.writeString(journal, POINT + "\n" + (POINT + RUBBISH).repeat(4_000) + "m v=1i 17000000");
        assertThat(JournalBatch.count(journal, POINT.length())).isEqualTo(8_000);
    }

    @Test
    void what_the_room_for_it_held_before_is_no_part_of_it() throws IOException {
        Files.writeString(journal, "m v=1i 1700000000000000000");
        byte[] room = new byte[JournalBatch.BYTES];
        Arrays.fill(room, (byte) '\n');
        assertThat(JournalBatch.read(journal, 0, room, JournalBatch.LINES)).isNull();
    }

    @Test
    void a_line_that_no_request_can_hold_is_passed_over_in_pieces() throws IOException {
        Files.writeString(journal, "x".repeat(250) + "\n" + POINT);
        JournalBatch piece = JournalBatch.read(journal, 0, new byte[100], JournalBatch.LINES);
        assertThat(piece.size()).isEqualTo(100);
        assertThat(piece.rubbish()).isEqualTo(1);
        assertThat(piece.points()).isZero();
        JournalBatch rest = read(200);
        assertThat(rest.rubbish()).isEqualTo(1);
        assertThat(rest.points()).isEqualTo(1);
    }

    @Test
    void a_line_that_begins_with_a_blank_or_a_hash_is_no_point() throws IOException {
        Files.writeString(
                journal, " " + POINT + "#" + POINT + " 1700000000000000000\n" + "m v=1i 170000000000000000x\n");
        assertThat(read(0).rubbish()).isEqualTo(4);
    }

    private JournalBatch read(long offset) throws IOException {
        return JournalBatch.read(journal, offset, new byte[JournalBatch.BYTES], JournalBatch.LINES);
    }
}
