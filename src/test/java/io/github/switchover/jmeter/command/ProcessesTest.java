package io.github.switchover.jmeter.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessesTest {

    @TempDir
    Path place;

    @Test
    void process_leads_a_group_and_a_session_of_its_own() throws IOException {
        GroupedProcess started = sh("cut -d ' ' -f 1,5,6 < /proc/$$/stat");
        String[] pidGroupSession = output(started).split(" ", -1);
        assertThat(pidGroupSession).hasSize(3).containsOnly(Long.toString(started.group()));
    }

    @Test
    void end_of_a_group_is_the_end_of_all_that_it_started() throws Exception {
        GroupedProcess started = sh("sleep 1000 & echo $! > child; sleep 1000");
        long child = Long.parseLong(Until.written(place.resolve("child")));
        started.killGroup();
        Until.reached(started::isGone);
        Until.reached(() -> !Until.lives(child));
    }

    @Test
    void missing_program_is_told_in_the_systems_words() {
        assertThatThrownBy(() -> GroupedProcess.start(List.of("no-such-program", "secret"), List.of()))
                .isInstanceOf(IOException.class)
                .hasMessage("No such file or directory");
        assertThatThrownBy(() -> GroupedProcess.start(List.of(place.toString()), List.of()))
                .hasMessage("Permission denied");
        assertThatThrownBy(() -> GroupedProcess.start(List.of(), List.of())).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> GroupedProcess.start(List.of(""), List.of())).isInstanceOf(IOException.class);
    }

    @Test
    void interrupt_neither_cuts_a_wait_short_nor_is_it_lost() throws IOException {
        GroupedProcess started = sh("sleep 0.3");
        Thread.currentThread().interrupt();
        assertThat(UninterruptedWait.awaitExit(started.process(), TimeUnit.SECONDS.toNanos(60)))
                .isTrue();
        assertThat(UninterruptedWait.await(new CountDownLatch(1), 1000)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    private GroupedProcess sh(String script) throws IOException {
        return GroupedProcess.start(List.of("sh", "-c", "cd '" + place + "'; " + script), List.of());
    }

    private static String output(GroupedProcess started) throws IOException {
        return new String(started.process().getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}
