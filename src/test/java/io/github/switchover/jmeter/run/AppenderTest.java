package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AppenderTest {

    @TempDir
    private Path folder;

    @Test
    void records_are_appended_behind_the_head() throws IOException {
        Path path = folder.resolve("a");
        for (int round = 0; round < 2; round++) {
            try (Appender appender = new Appender(path, bytes("head\n"))) {
                appender.append(List.of(bytes("one\n"), bytes("two\n")));
                assertThat(appender.lost()).isZero();
                assertThat(appender.warning()).isNull();
            }
        }
        assertThat(path).hasContent("head\none\ntwo\none\ntwo\n");
    }

    @Test
    void half_a_record_of_another_process_is_closed_first() throws IOException {
        Path path = Files.writeString(folder.resolve("a"), "one\ntw");
        try (Appender appender = new Appender(path, new byte[0])) {
            appender.append(List.of(bytes("three\n")));
        }
        assertThat(path).hasContent("one\ntw\nthree\n");
    }

    @Test
    void full_disk_is_counted_and_warned_of_but_never_thrown() {
        try (Appender appender = new Appender(Path.of("/dev/full"), new byte[0])) {
            appender.append(List.of(bytes("one\n"), bytes("two\n")));
            appender.append(List.of(bytes("three\n")));
            assertThat(appender.lost()).isEqualTo(3);
            assertThat(appender.warning())
                    .isEqualTo("cannot write /dev/full: No space left on device;"
                            + " records are lost until it can be written again");
        }
    }

    @Test
    void what_comes_after_the_close_is_lost() {
        Appender appender = new Appender(folder.resolve("a"), new byte[0]);
        appender.close();
        appender.append(List.of(bytes("one\n")));
        assertThat(appender.lost()).isEqualTo(1);
    }

    @Test
    void a_file_that_cannot_be_opened_is_one_line() {
        assertThatThrownBy(() -> new Appender(folder, new byte[0]))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessage("cannot write " + folder + ": Is a directory");
    }

    @Test
    void an_interrupted_thread_writes_on() {
        try (Appender appender = new Appender(folder.resolve("a"), new byte[0])) {
            Thread.currentThread().interrupt();
            appender.append(List.of(bytes("one\n")));
            assertThat(Thread.interrupted()).isTrue();
            appender.append(List.of(bytes("two\n")));
            assertThat(appender.lost()).isZero();
        }
        assertThat(folder.resolve("a")).hasContent("one\ntwo\n");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
