package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.http.Endpoints;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.Nodes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One run at a time per target: JMeter's against JMeter's, and against those of {@code switchover drill}. */
class TargetLockTest {

    /** {@code drill/target_lock.py} in a process of its own, until its input ends. */
    private static final String DRILL = """
            import sys
            from pathlib import Path
            from switchover.drill.target_lock import TargetLock
            from switchover.model.errors import FaultError
            from switchover.target.model import Endpoint, Node, Target
            nodes = tuple(Node(name=name, role="balancer") for name in ("lb1", "lb2"))
            target = Target(endpoint=Endpoint(url="http://127.0.0.1/"), nodes=nodes, lab=Path(sys.argv[1]))
            try:
                with TargetLock(target, "of-a-drill"):
                    print("locked", flush=True)
                    sys.stdin.read()
            except FaultError as error:
                print(error, flush=True)
            """;

    @TempDir
    Path place;

    private Recipes recipes;

    @BeforeEach
    void begin() {
        recipes = new Recipes(place);
    }

    @Test
    void second_run_is_told_which_process_and_run_has_the_node() throws Exception {
        try (Guard first = guard("first", "lb1", "lb2")) {
            first.arm();
            Guard second = guard("second", "lb2", "lb3");
            assertThatThrownBy(second::arm)
                    .isInstanceOf(FaultException.class)
                    .hasMessage("lb2 is in use: process "
                            + ProcessHandle.current().pid() + " has it for run first; wait until it has ended");
            try (Guard other = guard("third", "lb3")) {
                other.arm();
            }
        }
        try (Guard next = guard("next", "lb2")) {
            next.arm();
        }
        assertThat(recipes.log()).isEmpty();
    }

    @Test
    void target_is_held_before_a_fault_is_armed_and_after_one_was_refused() throws Exception {
        Target target = target("lb1", "lb2");
        try (TargetHold hold = TargetHold.take(target, "touch", run("first"))) {
            assertThatThrownBy(() -> TargetHold.take(target, "touch", run("second")))
                    .hasMessageContaining(" has it for run first; ");
            for (int i = 0; i < 2; i++) {
                try (Guard guard = held(hold)) {
                    guard.arm();
                }
                assertThatThrownBy(() -> TargetHold.take(target, "touch", run("third")))
                        .hasMessageContaining(" is in use: ");
            }
        }
        TargetHold.take(target, "touch", run("fourth")).close();
        assertThat(recipes.log()).isEmpty();
    }

    @Test
    void fault_of_a_held_target_is_healed_where_its_run_forgets_it() throws Exception {
        TargetHold hold = TargetHold.take(target("lb1"), "touch", run("first"));
        try (Guard unfired = held(hold)) {
            unfired.arm();
        }
        Guard guard = held(hold);
        guard.arm();
        guard.fire(null);
        hold.close();
        assertThat(recipes.log()).containsExactly("kill", "heal");
        guard.close();
        Until.reached(() -> Watchdogs.of(place.resolve("first")).isEmpty());
    }

    private Guard held(TargetHold hold) {
        GuardedFault fault = GuardedFault.alone(recipes.touch(), Map.of());
        return new Guard(fault, hold, RunClock.ofProcess(), (kind, text, timeNs, node, id) -> {}, place, Proof.USUAL);
    }

    private Path run(String name) throws IOException {
        return Files.createDirectories(place.resolve(name));
    }

    @Test
    void lock_outlives_its_run_until_the_watchdog_has_healed() throws Exception {
        List<String> slow = recipes.logged("heal", "test -e free");
        Target target = target("lb1");
        UndoList undo =
                UndoList.start(new Undo("touch", slow, null, null, List.of()), place, TargetLock.of(target, "first"));
        undo.firing();
        undo.killDone();
        Thread dead = new Thread(undo::close);
        dead.start();
        Until.reached(() -> recipes.log().contains("heal"));
        assertThatThrownBy(() -> guard("second", "lb1").arm()).hasMessageContaining("lb1 is in use");
        Files.createFile(place.resolve("free"));
        dead.join();
        try (Guard next = guard("next", "lb1")) {
            next.arm();
        }
    }

    @Test
    void drill_keeps_a_test_of_jmeters_out() throws Exception {
        Process drill = drill();
        try (BufferedReader said = output(drill)) {
            assertThat(said.readLine()).isEqualTo("locked");
            assertThatThrownBy(() -> guard("test", "lb1", "lb2").arm())
                    .hasMessageMatching("lb[12] is in use: process " + drill.pid()
                            + " has it for run of-a-drill; wait until it has ended");
        } finally {
            drill.destroyForcibly().waitFor();
        }
        try (Guard next = guard("next", "lb1", "lb2")) {
            next.arm();
        }
    }

    @Test
    void test_of_jmeters_keeps_a_drill_out() throws Exception {
        try (Guard guard = guard("test", "lb1", "lb2")) {
            guard.arm();
            Process drill = drill();
            try (BufferedReader said = output(drill)) {
                assertThat(said.readLine())
                        .matches("lb[12] is in use: process "
                                + ProcessHandle.current().pid() + " has it for run test; wait until it has ended");
            } finally {
                drill.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void directory_that_others_may_enter_holds_no_locks() throws Exception {
        Path open = Files.createDirectory(
                place.resolve("open"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        TargetLock lock = TargetLock.of(target(open, "lb1"), "run");
        assertThatThrownBy(lock::files).hasMessageContaining("must be a directory of this user with mode 0700");
    }

    private Guard guard(String run, String... balancers) {
        GuardedFault fault = GuardedFault.of(recipes.touch(), Map.of(), target(balancers), run);
        return new Guard(fault, RunClock.ofProcess(), (kind, text, timeNs, node, id) -> {}, place, Proof.USUAL);
    }

    private Target target(String... balancers) {
        return target(place, balancers);
    }

    private static Target target(Path locks, String... balancers) {
        return new Target(
                Endpoints.at("http://127.0.0.1/"),
                IdentitySettings.DEFAULT,
                List.of(balancers).stream().map(Nodes::balancer).toList(),
                Map.of(),
                null,
                null,
                new Target.TargetOrigin(null, locks));
    }

    private Process drill() throws Exception {
        String python = Files.isExecutable(Path.of(".venv/bin/python")) ? ".venv/bin/python" : "python3";
        ProcessBuilder builder = new ProcessBuilder(python, "-c", DRILL, place.toString());
        builder.environment()
                .put("PYTHONPATH", Path.of("locust-plugins").toAbsolutePath().toString());
        return builder.redirectErrorStream(true).start();
    }

    private static BufferedReader output(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }
}
