package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.switchover.jmeter.Recipe;
import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.faults.Healer.HealPace;
import io.github.switchover.jmeter.faults.UndoList.Undo;
import io.github.switchover.jmeter.http.Endpoints;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.target.Target.NodeClaim;
import io.github.switchover.jmeter.telemetry.Nodes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One run at a time per target: JMeter's against JMeter's, and against those of {@code switchover drill}. */
class TargetLockTest {

    /** {@code faults/preflight/lock.py} in a process of its own, until its input ends. */
    private static final String DRILL = """
            import sys
            from pathlib import Path
            from switchover.faults.preflight import lock as target_lock
            from switchover.model.errors import FaultError
            from switchover.target.model import Endpoint, Node, Target
            target_lock.FOLDERS = (Path(sys.argv[1]),)
            nodes = tuple(Node(name=host, role="balancer", host=host) for host in ("LB1", "192.0.2.2"))
            target = Target(endpoint=Endpoint(url="http://127.0.0.1/"), nodes=nodes)
            try:
                with target_lock.lock_target(target, "of-a-drill"):
                    print("locked", flush=True)
                    sys.stdin.read()
            except FaultError as error:
                print(error, flush=True)
            """;

    @TempDir
    Path place;

    private Recipes recipes;
    private Path everybodys;

    @BeforeEach
    void begin() throws Exception {
        recipes = new Recipes(place);
        everybodys = Files.createDirectory(place.resolve("locks"));
        Files.setAttribute(everybodys, "unix:mode", 01777);
    }

    @Test
    void second_run_is_told_which_process_and_run_has_the_node() throws Exception {
        try (Guard first = guard("first", "lb1", "lb2")) {
            first.arm();
            Guard second = guard("second", "lb2", "lb3");
            assertThatThrownBy(second::arm)
                    .isInstanceOf(FaultException.class)
                    .hasMessage(
                            "lb2 is in use: process " + ProcessHandle.current().pid()
                                    + " holds the lock for run first; wait until this process has ended");
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
        try (UndoList hold = UndoList.hold(target, "touch", run("first"))) {
            assertThatThrownBy(() -> UndoList.hold(target, "touch", run("second")))
                    .hasMessageContaining(" holds the lock for run first; ");
            for (int i = 0; i < 2; i++) {
                try (Guard guard = held(hold)) {
                    guard.arm();
                }
                assertThatThrownBy(() -> UndoList.hold(target, "touch", run("third")))
                        .hasMessageContaining(" is in use: ");
            }
        }
        UndoList.hold(target, "touch", run("fourth")).close();
        assertThat(recipes.log()).isEmpty();
    }

    @Test
    void fault_of_a_held_target_is_healed_where_its_run_forgets_it() throws Exception {
        UndoList hold = UndoList.hold(target("lb1"), "touch", run("first"));
        try (Guard unfired = held(hold)) {
            unfired.arm();
        }
        Guard guard = held(hold);
        guard.arm();
        guard.fire(null, RunClock.bootSeconds());
        hold.close();
        assertThat(recipes.log()).containsExactly("kill", "heal");
        guard.close();
        Until.reached(() -> Watchdogs.of(place.resolve("first")).isEmpty());
    }

    private Guard held(UndoList hold) {
        return held(hold, recipes.touch());
    }

    private Guard held(UndoList hold, FaultRecipe recipe) {
        return new Guard(
                Recipes.alone(recipe, Map.of()),
                hold,
                RunClock.ofProcess(),
                (kind, text, timeNs, node, id) -> {},
                place,
                Proof.USUAL,
                HealPace.USUAL);
    }

    private Path run(String name) throws IOException {
        return Files.createDirectories(place.resolve(name));
    }

    @Test
    void lock_outlives_its_run_until_the_watchdog_has_healed() throws Exception {
        List<String> slow = recipes.logged("heal", "test -e free");
        Target target = target("lb1");
        UndoList undo = UndoList.start(
                new Undo("touch", slow, null, null, null, List.of(), null), place, TargetLock.of(target, "first"));
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
            for (String host : List.of("lb1.", "::ffff:192.0.2.2")) {
                assertThatThrownBy(() -> start("test", host))
                        .hasMessage(host + " is in use: process " + drill.pid()
                                + " holds the lock for run of-a-drill; wait until this process has ended");
            }
        } finally {
            drill.destroyForcibly().waitFor();
        }
        start("next", "lb1", "192.0.2.2").close();
    }

    @Test
    void test_of_jmeters_keeps_a_drill_out() throws Exception {
        try (UndoList held = start("test", "lb1", "192.0.2.2")) {
            assertThat(held).isNotNull();
            Process drill = drill();
            try (BufferedReader said = output(drill)) {
                assertThat(said.readLine())
                        .matches("(LB1|192.0.2.2) is in use: process "
                                + ProcessHandle.current().pid()
                                + " holds the lock for run test; wait until this process has ended");
            } finally {
                drill.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void balancers_are_locked_and_where_there_are_none_all_nodes() {
        Node web = new Node(
                "web1", Node.Role.BACKEND, null, null, Nodes.balancer("lb1").sources(), null, null);
        TargetLock ofPair = new TargetLock(target(place, Stream.of(Nodes.balancer("lb1"), web)), "run", List.of());
        assertThat(ofPair.files())
                .singleElement()
                .satisfies(file -> assertThat(ofPair.inUse(file.toString())).startsWith("lb1 is in use"));
        TargetLock ofWeb = new TargetLock(target(place, Stream.of(web)), "run", List.of());
        assertThat(ofWeb.files())
                .singleElement()
                .satisfies(file -> assertThat(ofWeb.inUse(file.toString())).startsWith("web1 is in use"));
    }

    @Test
    void locks_are_in_the_first_folder_that_all_users_may_write_to() throws Exception {
        Path own = Files.createDirectory(place.resolve("own"));
        Path file = Files.createFile(place.resolve("file"));
        Files.setAttribute(file, "unix:mode", 01777);
        List<Path> folders = List.of(place.resolve("none"), own, file, everybodys);
        assertThat(new TargetLock(hosts("192.0.2.2"), "run", folders).files())
                .allMatch(lock -> lock.startsWith(everybodys));
        TargetLock nowhere = new TargetLock(hosts("192.0.2.2"), "run", List.of(own, file));
        assertThatThrownBy(nowhere::files)
                .isInstanceOf(FaultException.class)
                .hasMessage("one run at a time cannot be ensured: none of " + own + ", " + file
                        + " is a folder that all users may write to (mode 1777)");
    }

    @Test
    void commands_of_a_watchdog_that_holds_a_target_get_the_variables_of_its_faults_and_its_claim() throws Exception {
        List<String> known = System.getenv().keySet().stream()
                .filter(name ->
                        name.matches("[A-Z]+_[A-Z_]+") && !name.equals("LC_ALL") && !name.equals("SSH_AUTH_SOCK"))
                .limit(2)
                .toList();
        assumeThat(known).hasSize(2);
        FaultRecipe touch = Recipe.with(recipes.touch(), Step.HEAL, recipes.sh("env > of-the-heal; rm -f down"));
        FaultRecipe named = new FaultRecipe("touch", touch.commands(), null, known.subList(0, 1));
        NodeClaim claim = new NodeClaim(List.of("true"), List.of("true"), known.subList(1, 2));
        Target target = new Target(
                Endpoints.at("http://127.0.0.1/"),
                IdentitySettings.DEFAULT,
                List.of(),
                Map.of("touch", named),
                null,
                claim,
                new Target.TargetOrigin(null, null));
        UndoList hold = UndoList.hold(target, "touch", run("first"));
        Guard guard = held(hold, touch);
        guard.arm();
        guard.fire(null, RunClock.bootSeconds());
        hold.close();
        assertThat(Until.text(place.resolve("of-the-heal")).lines().map(line -> line.replaceFirst("=.*", "")))
                .containsAll(known);
        guard.close();
    }

    @ParameterizedTest
    @CsvSource({
        "mkfifo \"$1\", not a plain file",
        "mkdir \"$1\", not a plain file",
        "ln -s \"$2\" \"$1\", not a plain file",
        "ln \"$2\" \"$1\", a hard link to another file"
    })
    void what_another_user_has_put_there_is_neither_waited_for_nor_written_to(String plant, String why)
            throws Exception {
        Path own = Files.writeString(place.resolve("own"), "mine");
        TargetLock lock = lockOf("run", "192.0.2.2");
        Path file = lock.files().get(0);
        Files.delete(file);
        new ProcessBuilder("sh", "-c", plant, "sh", file.toString(), own.toString())
                .start()
                .waitFor();
        assertThatThrownBy(() -> start("run", "192.0.2.2"))
                .isInstanceOf(FaultException.class)
                .hasMessage(
                        "192.0.2.2 cannot be locked for this run: " + file + ": it is " + why + ": remove this file");
        lock.writeHolder();
        assertThat(own).content().isEqualTo("mine");
    }

    private UndoList start(String run, String... hosts) throws IOException {
        return UndoList.start("touch", run(run), lockOf(run, hosts), List.of());
    }

    private TargetLock lockOf(String run, String... hosts) {
        return new TargetLock(hosts(hosts), run, List.of(everybodys));
    }

    private static Target hosts(String... hosts) {
        return target(null, Stream.of(hosts).map(host -> Nodes.at(host, host)));
    }

    private Guard guard(String run, String... balancers) {
        GuardedFault fault = GuardedFault.of(recipes.touch(), Map.of(), target(balancers), run);
        return new Guard(
                fault,
                null,
                RunClock.ofProcess(),
                (kind, text, timeNs, node, id) -> {},
                place,
                Proof.USUAL,
                HealPace.USUAL);
    }

    private Target target(String... balancers) {
        return target(place, Stream.of(balancers).map(Nodes::balancer));
    }

    private static Target target(Path lab, Stream<Node> balancers) {
        return new Target(
                Endpoints.at("http://127.0.0.1/"),
                IdentitySettings.DEFAULT,
                balancers.toList(),
                Map.of(),
                null,
                null,
                new Target.TargetOrigin(null, lab));
    }

    private Process drill() throws Exception {
        String python = Files.isExecutable(Path.of(".venv/bin/python")) ? ".venv/bin/python" : "python3";
        ProcessBuilder builder = new ProcessBuilder(python, "-c", DRILL, everybodys.toString());
        builder.environment().clear(); // as cron starts it
        builder.environment()
                .put("PYTHONPATH", Path.of("locust-plugins").toAbsolutePath().toString());
        return builder.redirectErrorStream(true).start();
    }

    private static BufferedReader output(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }
}
