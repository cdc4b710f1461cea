package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.run.Lines.Ignored;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinesTest {

    @TempDir
    private Path folder;

    private final Ignored ignored = new Ignored();

    @Test
    void a_last_line_without_its_end_is_left_out() throws IOException {
        assertThat(read("one\n\ntwo\r\nthree")).containsExactly("one", "", "two\r");
        assertThat(ignored.reasons()).isEqualTo(Map.of("last line cut off", 1L));
    }

    @Test
    void a_line_beyond_the_limit_is_skipped_without_being_held() throws IOException {
        String longest = "a".repeat(Lines.LIMIT - 1);
        assertThat(read("one\n" + longest + "\n" + longest + "b\ntwo\n")).containsExactly("one", longest, "two");
        assertThat(ignored.reasons()).isEqualTo(Map.of("line longer than 1 MiB", 1L));
        assertThat(read("one\n" + longest + longest)).containsExactly("one");
        assertThat(ignored.total()).isEqualTo(2);
    }

    @Test
    void nothing_is_in_an_empty_file() throws IOException {
        assertThat(read("")).isEmpty();
        assertThat(ignored.total()).isZero();
    }

    @Test
    void a_file_that_cannot_be_read_is_one_line() {
        assertThatThrownBy(() -> new Lines(folder.resolve("none"), ignored))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessage("cannot read " + folder.resolve("none") + ": No such file or directory");
    }

    private List<String> read(String text) throws IOException {
        Path path = Files.writeString(folder.resolve("lines"), text);
        List<String> found = new ArrayList<>();
        try (Lines lines = new Lines(path, ignored)) {
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                found.add(new String(line, StandardCharsets.UTF_8));
            }
            assertThat(lines.next()).isNull();
        }
        return found;
    }
}
