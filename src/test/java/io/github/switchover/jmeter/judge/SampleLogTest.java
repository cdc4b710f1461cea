package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Ignored;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.SampleReader;
import io.github.switchover.jmeter.core.SampleWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleLogTest {

    @TempDir
    private Path folder;

    @Test
    void files_are_read_one_after_the_other_as_often_as_asked_and_what_is_unreadable_counts_once() throws IOException {
        List<Path> paths = List.of(log("a", 1, 2), log("none"), log("b", 3));
        Files.writeString(paths.get(0), "half a line\n", StandardOpenOption.APPEND);
        Ignored ignored = new Ignored();
        SampleLog log = new SampleLog(paths, ignored);
        for (int walk = 0; walk < 2; walk++) {
            List<Long> starts = new ArrayList<>();
            log.forEach(sample -> starts.add(sample.startUs()));
            assertThat(starts).containsExactly(1L, 2L, 3L);
            assertThat(ignored.total()).isEqualTo(1);
        }
    }

    @Test
    void behind_the_last_sample_there_is_none() {
        Iterator<Sample> walk = new SampleLog(List.of(log("a", 1)), new Ignored()).iterator();
        assertThat(walk.next().startUs()).isEqualTo(1);
        assertThat(walk.hasNext()).isFalse();
        assertThatThrownBy(walk::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void a_header_in_the_middle_of_a_log_stands_for_no_request() {
        Ignored ignored = new Ignored();
        for (String reason : List.of(SampleReader.REPEATED_HEADER, "wrong number of columns", "no number")) {
            ignored.add(reason);
        }
        assertThat(UnreadLines.rows(ignored)).isEqualTo(2);
        assertThat(UnreadLines.rows(new Ignored())).isZero();
    }

    private Path log(String name, long... starts) {
        Path path = folder.resolve(name);
        try (SampleWriter writer = new SampleWriter(path)) {
            for (long start : starts) {
                writer.write(Vectors.sample(start, start + 1, null, null, ""));
            }
        }
        return path;
    }
}
