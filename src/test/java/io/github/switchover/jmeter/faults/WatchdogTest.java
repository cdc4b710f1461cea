package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.faults.UndoList.Undo;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A JVM is killed with SIGKILL: what it fired is healed by the watchdog, what it did not is left alone. */
class WatchdogTest extends FaultFolder {

    private static final String TOUCH = "touch down";

    @Test
    void killed_after_the_fault_it_is_healed() throws Exception {
        Process runner = runner("fired", TOUCH);
        assertThat(recipes.isDown()).isTrue();
        kill(runner);
        Until.reached(() -> !recipes.isDown());
        Until.reached(() -> Watchdogs.of(place).isEmpty());
        assertThat(recipes.log()).containsExactly("kill", "heal");
        assertThat(recipes.watchdogSays()).contains("the runner is dead", "touch is HEALED");
        assertThat(place.resolve("journal-watchdog.lp"))
                .content()
                .matches("switchover_event,kind=heal,run=" + Pattern.quote(place.getFileName() + "")
                        + " text=\"touch: healed by the watchdog\" \\d{19}\n");
    }

    @Test
    void killed_after_the_heal_nothing_is_healed_again() throws Exception {
        kill(runner("healed", TOUCH));
        Until.reached(() -> Watchdogs.of(place).isEmpty());
        assertThat(recipes.log()).containsExactly("kill", "heal");
    }

    @Test
    void killed_while_the_kill_runs_the_kill_is_ended_and_cannot_strike_later() throws Exception {
        Process runner = runner("firing", "echo $$ > pid; sleep 600; " + TOUCH);
        long killing = Long.parseLong(Until.written(place.resolve("pid")));
        kill(runner);
        Until.reached(() -> Watchdogs.of(place).isEmpty());
        assertThat(Until.lives(killing)).isFalse();
        assertThat(recipes.isDown()).isFalse();
        assertThat(recipes.log()).startsWith("kill", "heal");
    }

    @Test
    void ended_in_order_of_the_operating_system_it_is_healed_too() throws Exception {
        Process runner = runner("fired", TOUCH);
        runner.destroy();
        runner.waitFor();
        Until.reached(() -> !recipes.isDown());
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM", "HUP", "QUIT"})
    void watchdog_hears_no_signal_that_ends_its_runner(String signal) throws Exception {
        UndoList undo = started(recipes.touch().command(Step.HEAL));
        undo.firing();
        undo.killDone();
        long watchdog = Watchdogs.of(place).get(0).pid();
        Files.createFile(place.resolve("down"));
        assertThat(new ProcessBuilder("sh", "-c", "kill -s " + signal + " " + watchdog)
                        .start()
                        .waitFor())
                .isZero();
        assertThat(undo.dismiss()).isTrue();
        assertThat(recipes.log()).containsExactly("heal");
        assertThat(recipes.isDown()).isFalse();
    }

    @Test
    void watchdog_leads_a_session_and_its_commands_hear_signals_as_usual() throws Exception {
        UndoList undo = started(
                recipes.sh("cut -d ' ' -f 6 /proc/$$/stat > session; " + "grep SigIgn /proc/$$/status > ignored"));
        long watchdog = Watchdogs.of(place).get(0).pid();
        assertHealed(undo);
        assertThat(Until.written(place.resolve("session"))).isNotEqualTo(Long.toString(watchdog));
        // HUP, USR1, USR2 and TERM; a shell keeps INT and QUIT from all that it starts in the background.
        long ignored = ignored(Until.written(place.resolve("ignored"))) & 0x4a01;
        // Whoever started the tests may have had nohup do it.
        assertThat(ignored & ~ignored(Until.text(Path.of("/proc/self/status")))).isZero();
    }

    /** The fault is in force, and its runner leaves the heal to the watchdog. */
    private static void assertHealed(UndoList undo) {
        undo.firing();
        undo.killDone();
        assertThat(undo.dismiss()).isTrue();
    }

    private UndoList started(List<String> heal) {
        return UndoList.start(new Undo("touch", heal, null, null, null, List.of(), null), place, null);
    }

    private static long ignored(String status) {
        Matcher line = Pattern.compile("SigIgn:\\s+(\\p{XDigit}+)").matcher(status);
        assertThat(line.find()).isTrue();
        return Long.parseUnsignedLong(line.group(1), 16);
    }

    @Test
    void without_a_proof_the_exit_status_of_the_heal_decides() throws Exception {
        UndoList undo = started(recipes.logged("heal", "test $(grep -c heal log) -ge 4"));
        assertHealed(undo);
        assertThat(recipes.log()).hasSize(4);
    }

    @Test
    void runner_that_is_stopped_is_healed_when_its_heal_is_overdue() throws Exception {
        Process runner = runner("fired", TOUCH, "1");
        signal(runner, "STOP");
        try {
            Until.reached(() -> !recipes.isDown());
            Until.reached(() -> recipes.watchdogSays().contains("touch is HEALED"));
            assertThat(recipes.watchdogSays()).contains("the runner hangs: its heal is overdue by ");
        } finally {
            kill(runner);
        }
        Until.reached(() -> Watchdogs.of(place).isEmpty());
    }

    @Test
    void runner_that_stops_in_the_middle_of_its_kill_is_healed_in_time() throws Exception {
        Process runner = runner("firing", TOUCH + "; echo $$ > pid; sleep 600", "1");
        Until.written(place.resolve("pid"));
        signal(runner, "STOP");
        try {
            Until.reached(() -> recipes.watchdogSays().contains("touch is HEALED"));
            assertThat(recipes.isDown()).isFalse();
        } finally {
            kill(runner);
        }
        Until.reached(() -> Watchdogs.of(place).isEmpty());
    }

    @Test
    void runner_that_is_silent_is_healed_and_one_that_beats_is_not() throws Exception {
        // Not to wait for the real 20 s: the script with a shorter time.
        String script = Files.readString(
                        Path.of(UndoList.class.getResource("watchdog.sh").toURI()))
                .replace("silent=2000", "silent=350");
        Path log = place.resolve(UndoList.LOG_FILE);
        Process watchdog = new ProcessBuilder("sh", "-c", script, "switchover-watchdog", log.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (var pipe = watchdog.getOutputStream()) {
            String told =
                    "name touch\nheal " + UndoList.quoted(recipes.touch().command(Step.HEAL)) + "\nfiring\nfired\n";
            pipe.write(told.getBytes(StandardCharsets.UTF_8));
            pipe.flush();
            for (int i = 0; i < 16; i++) {
                assertThat(watchdog.waitFor(250, TimeUnit.MILLISECONDS)).isFalse();
                pipe.write("beat\n".getBytes(StandardCharsets.UTF_8));
                pipe.flush();
            }
            assertThat(recipes.log()).isEmpty();
            Until.reached(() -> recipes.log().contains("heal"));
            assertThat(recipes.watchdogSays()).contains("the runner hangs: it was silent for ");
        }
        assertThat(watchdog.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(watchdog.exitValue()).isZero();
    }

    @Test
    void dead_man_is_disarmed_and_nodes_are_released_after_the_heal_of_a_dead_runner() throws Exception {
        UndoList undo = UndoList.start(
                new Undo(
                        "touch",
                        recipes.touch().command(Step.HEAL),
                        null,
                        recipes.logged("release", "true"),
                        recipes.logged("disarm", "exit 3"),
                        List.of(),
                        null),
                place,
                null);
        undo.claimed();
        assertHealed(undo);
        assertThat(recipes.log()).containsExactly("heal", "disarm", "release");
        assertThat(recipes.watchdogSays()).contains("disarm: exit status 3");
    }

    @Test
    void commands_of_the_watchdog_get_no_token_of_ours() throws Exception {
        UndoList undo = started(recipes.sh("env > environment"));
        assertHealed(undo);
        assertThat(Until.text(place.resolve("environment")).lines().map(line -> line.replaceFirst("=.*", "")))
                .contains("PATH")
                .allMatch(name -> Set.of(
                                "PATH",
                                "HOME",
                                "USER",
                                "LOGNAME",
                                "LANG",
                                "LC_ALL",
                                "TZ",
                                "SSH_AUTH_SOCK",
                                "PWD",
                                "OLDPWD",
                                "SHLVL",
                                "_")
                        .contains(name));
    }

    @Test
    void beside_a_heal_that_hangs_another_begins_and_ends_it() throws Exception {
        UndoList undo = started(recipes.logged(
                "heal", "mkdir first && { echo $$ > pid; exec sleep 1000; }; until test -s pid; do sleep 0.02; done"));
        assertHealed(undo);
        assertThat(recipes.log()).containsExactly("heal", "heal");
        assertThat(recipes.watchdogSays()).contains("the heal hangs", "heal: exit status 0", "touch is HEALED");
        assertThat(Until.lives(Long.parseLong(Until.written(place.resolve("pid")))))
                .isFalse();
    }

    @Test
    void heal_that_hangs_after_it_has_worked_is_ended() throws Exception {
        Files.createFile(place.resolve("down"));
        List<String> heal = recipes.logged("heal", "rm -f down; exec sleep 1000");
        UndoList undo = UndoList.start(
                new Undo("touch", heal, recipes.sh("test ! -e down"), null, null, List.of(), null), place, null);
        assertHealed(undo);
        assertThat(recipes.log()).containsExactly("heal");
    }

    @Test
    void watchdog_that_cannot_write_its_log_keeps_the_fault_from_being_fired() {
        Path missing = place.resolve("missing");
        Undo undo = new Undo("touch", List.of("true"), null, null, null, List.of(), null);
        assertThatThrownBy(() -> UndoList.start(undo, missing, null))
                .hasMessage("touch does not fire: its watchdog did not start; can " + missing.resolve(UndoList.LOG_FILE)
                        + " be written?");
    }

    private Process runner(String stop, String kill) throws IOException {
        return runner(stop, kill, "600");
    }

    private Process runner(String stop, String kill, String healWithinS) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        GuardRunner.class.getName(),
                        place.toString(),
                        kill,
                        stop,
                        healWithinS)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        assertThat(output.readLine()).isEqualTo(stop);
        return process;
    }

    private static void signal(Process process, String name) throws Exception {
        assertThat(new ProcessBuilder("sh", "-c", "kill -s " + name + " " + process.pid())
                        .start()
                        .waitFor())
                .isZero();
    }

    private static void kill(Process process) throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }
}
