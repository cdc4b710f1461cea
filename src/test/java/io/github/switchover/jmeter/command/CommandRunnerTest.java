package io.github.switchover.jmeter.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandRunnerTest {

    @TempDir
    Path place;

    private static final Set<String> USUAL =
            Set.of("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "SSH_AUTH_SOCK");

    @Test
    void status_and_last_line_come_back() {
        CommandResult outcome = run("sh", "-c", "echo first; echo second >&2; exit 7");
        assertThat(outcome.status()).isEqualTo(7);
        assertThat(outcome.isOk()).isFalse();
        assertThat(outcome).hasToString("`sh …`: exit status 7 (second)");
    }

    @Test
    void missing_program_is_not_started() {
        CommandResult outcome = run("/does/not/exist", "secret");
        assertThat(outcome.isNotStarted()).isTrue();
        assertThat(outcome).hasToString("`/does/not/exist …`: cannot run: No such file or directory");
    }

    @Test
    void command_that_is_given_up_is_ended_with_all_its_children() throws InterruptedException {
        Path child = place.resolve("child");
        List<String> command = List.of("sh", "-c", "sleep 1000 & echo $! > \"$0\"; wait", child.toString());
        CommandResult outcome = CommandRunner.of(command, List.of())
                .stopEarly(() -> Until.text(child).endsWith("\n"))
                .run();
        assertThat(outcome.status()).isNull();
        assertThat(outcome.problem()).isEqualTo("stopped early");
        long pid = Long.parseLong(Until.written(child));
        Until.reached(() -> !Until.lives(pid));
    }

    @Test
    void what_runs_on_in_the_background_is_not_waited_for() {
        long beforeNs = System.nanoTime();
        CommandResult outcome = run("sh", "-c", "sleep 30 & echo done");
        assertThat(outcome.isOk()).isTrue();
        assertThat(outcome.output()).isEqualTo("done");
        assertThat(System.nanoTime() - beforeNs).isLessThan(TimeUnit.SECONDS.toNanos(25));
    }

    @Test
    void command_without_end_is_ended_and_its_endless_output_is_not_kept() {
        CommandResult outcome = CommandRunner.of(List.of("yes", "a-line-of-output"), List.of())
                .timeoutS(0.3)
                .run();
        assertThat(outcome.status()).isNull();
        assertThat(outcome.problem()).isEqualTo("no end within 0.3 s");
        assertThat(outcome.output()).hasSizeLessThanOrEqualTo(300);
    }

    @Test
    void interrupted_thread_runs_it_to_its_end() {
        Thread.currentThread().interrupt();
        assertThat(run("sh", "-c", "sleep 0.2; echo done").output()).isEqualTo("done");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void prepared_command_begins_when_all_is_prepared_and_not_before() {
        Path begun = place.resolve("begun");
        List<String> command = List.of("sh", "-c", "echo $$ > \"$0\"; cat", begun.toString());
        AtomicLong group = new AtomicLong();
        CommandResult outcome = CommandRunner.of(command, List.of()).runPrepared(number -> {
            group.set(number);
            assertThat(begun).doesNotExist();
        });
        assertThat(outcome.isOk()).as(outcome.toString()).isTrue();
        assertThat(Until.text(begun).strip()).isEqualTo(Long.toString(group.get()));
        assertThat(CommandRunner.of(List.of("no-such-program"), List.of())
                        .runPrepared(number -> {})
                        .isNotStarted())
                .isTrue();
    }

    @Test
    void command_gets_the_variables_that_programs_need_and_those_that_its_file_names() {
        String own = System.getenv().keySet().stream()
                .filter(name -> name.matches("[A-Z_]+") && !USUAL.contains(name))
                .findFirst()
                .orElseThrow();
        assertThat(names(List.of())).contains("PATH").isSubsetOf(USUAL);
        assertThat(names(List.of(own))).contains(own);
    }

    private static Set<String> names(List<String> variables) {
        byte[] printed = CommandRunner.of(List.of("env"), variables).fetch(1_000_000);
        return new String(printed, StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.replaceFirst("=.*", ""))
                .collect(Collectors.toSet());
    }

    private static CommandResult run(String... command) {
        return CommandRunner.of(List.of(command), List.of()).run();
    }

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
