package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AppenderTest {

    private static final String RECORD = "a".repeat(399) + "\n";

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
                String written = round == 0 ? "head\none\ntwo\n" : "one\ntwo\n";
                assertThat(appender.seal())
                        .isEqualTo(new Seal(round * 13L, written.length(), Seal.checksum(bytes(written))));
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

    /** The file may have 1000 bytes: of the second batch, the first record and a half can be written. */
    @Test
    void on_a_disk_that_fills_up_whole_records_remain_and_the_next_are_written_once_there_is_room() throws Exception {
        Path path = folder.resolve("a");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = List.of(
                "prlimit", "--fsize=1000", java, "-XX:-UsePerfData", "-cp", System.getProperty("java.class.path"));
        ProcessBuilder writer = new ProcessBuilder(new ArrayList<>(command));
        writer.command().addAll(List.of(AppenderTest.class.getName(), path.toString()));
        Process process = writer.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String whole = "head\n" + RECORD + RECORD + "end\n";
        assertThat(path).hasContent(whole);
        assertThat(output).isEqualTo("2 " + new Seal(0, whole.length(), Seal.checksum(bytes(whole))));
    }

    public static void main(String[] arguments) {
        try (Appender appender = new Appender(Path.of(arguments[0]), bytes("head\n"))) {
            appender.append(List.of(bytes(RECORD)));
            appender.append(List.of(bytes(RECORD), bytes(RECORD), bytes(RECORD)));
            appender.append(List.of(bytes("end\n")));
            System.out.print(appender.lost() + " " + appender.seal());
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
