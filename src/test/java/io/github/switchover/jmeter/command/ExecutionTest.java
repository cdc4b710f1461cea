package io.github.switchover.jmeter.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecutionTest {

    @Test
    void status_and_last_line_come_back() {
        CommandResult outcome = Execution.run(List.of("sh", "-c", "echo first; echo second >&2; exit 7"));
        assertThat(outcome.status()).isEqualTo(7);
        assertThat(outcome.isOk()).isFalse();
        assertThat(outcome).hasToString("`sh …`: exit status 7 (second)");
    }

    @Test
    void missing_program_is_not_started() {
        CommandResult outcome = Execution.run(List.of("/does/not/exist", "secret"));
        assertThat(outcome.isNotStarted()).isTrue();
        assertThat(outcome).hasToString("`/does/not/exist …`: cannot be run: No such file or directory");
    }

    @Test
    void command_that_is_given_up_is_ended_with_all_its_children(@TempDir Path place) throws InterruptedException {
        Path child = place.resolve("child");
        List<String> command = List.of("sh", "-c", "sleep 1000 & echo $! > \"$0\"; wait", child.toString());
        CommandResult outcome =
                Execution.run(command, 1000, () -> Until.text(child).endsWith("\n"));
        assertThat(outcome.status()).isNull();
        assertThat(outcome.problem()).isEqualTo("given up");
        long pid = Long.parseLong(Until.written(child));
        Until.reached(() -> !Until.lives(pid));
    }

    @Test
    void what_runs_on_in_the_background_is_not_waited_for() {
        long beforeNs = System.nanoTime();
        CommandResult outcome = Execution.run(List.of("sh", "-c", "sleep 30 & echo done"), 60, () -> false);
        assertThat(outcome.isOk()).isTrue();
        assertThat(outcome.output()).isEqualTo("done");
        assertThat(System.nanoTime() - beforeNs).isLessThan(TimeUnit.SECONDS.toNanos(25));
    }

    @Test
    void command_without_end_is_ended_and_its_endless_output_is_not_kept() {
        CommandResult outcome = Execution.run(List.of("yes", "a-line-of-output"), 0.3, () -> false);
        assertThat(outcome.status()).isNull();
        assertThat(outcome.problem()).isEqualTo("no end within 0.3 s");
        assertThat(outcome.output()).hasSizeLessThanOrEqualTo(300);
    }

    @Test
    void control_characters_do_not_reach_a_message() {
        assertThat(Execution.run(List.of("printf", "a\\033[31mb\\007")).output())
                .isEqualTo("a [31mb");
    }

    @Test
    void interrupted_thread_runs_it_to_its_end() {
        Thread.currentThread().interrupt();
        assertThat(Execution.run(List.of("sh", "-c", "sleep 0.2; echo done")).output())
                .isEqualTo("done");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void prepared_command_begins_when_all_is_prepared_and_not_before(@TempDir Path place) {
        Path begun = place.resolve("begun");
        List<String> command = List.of("sh", "-c", "echo $$ > \"$0\"; cat", begun.toString());
        AtomicLong group = new AtomicLong();
        CommandResult outcome = Execution.runPrepared(command, number -> {
            group.set(number);
            assertThat(begun).doesNotExist();
        });
        assertThat(outcome.isOk()).as(outcome.toString()).isTrue();
        assertThat(Until.text(begun).strip()).isEqualTo(Long.toString(group.get()));
        assertThat(Execution.runPrepared(List.of("no-such-program"), number -> {})
                        .isNotStarted())
                .isTrue();
    }
}
