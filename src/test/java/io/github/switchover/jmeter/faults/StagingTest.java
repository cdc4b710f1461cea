package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Recipe;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.faults.Staging.Arming;
import io.github.switchover.jmeter.faults.Staging.StagedFault;
import io.github.switchover.jmeter.http.Endpoints;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.MasterFinder.Master;
import io.github.switchover.jmeter.telemetry.Nodes;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whom a fault will hit, and what of it is refused before anything is started. */
class StagingTest {

    private static final Master LB1 = new Master("lb1", "header", "X-Balancer: lb1");
    private static final Master NOBODY = new Master(null, "", "no answer");
    private static final Path FILE = Path.of("pair.toml");

    @Test
    void master_and_backup_are_named_and_who_said_so() {
        StagedFault staged = staging(LB1, true).stage("kill", Arming.CONFIRMED, null);
        assertThat(staged.names()).isEqualTo(Map.of("master", "lb1", "backup", "lb2"));
        assertThat(staged.description())
                .isEqualTo(
                        FaultRun.of("kill", FaultRun.MASTER, new FaultRun.FaultNodes("lb1", "lb2", "lb1", "header")));
        assertThat(staging(LB1, true)
                        .stage("backend-kill", Arming.CONFIRMED, null)
                        .description())
                .isEqualTo(FaultRun.of(
                        "backend-kill", FaultRun.BACKEND, new FaultRun.FaultNodes("lb1", "lb2", "web1", "header")));
    }

    @ParameterizedTest
    @CsvSource({
        "app2 systemctl, app2",
        "root@203.0.113.22 kill, app2",
        "docker kill app1, app1",
        "app22, web1",
        "app1 app2, web1",
        "lb1, web1",
        "http://203.0.113.22:8080/stop, app2",
        "tcp://app2:2375, app2",
        "root@app2:/tmp, app2",
        "http://[fd00::2]:8080/stop, app3",
        "fd00::2:10, web1"
    })
    void fault_of_a_backend_hits_the_one_that_its_kill_names(String line, String victim) {
        Map<String, FaultRecipe> kill = Map.of("backend-kill", recipe("backend-kill", line));
        List<Node> nodes = List.of(
                Nodes.balancer("lb1"),
                Nodes.backend("app1", null),
                Nodes.backend("app2", "203.0.113.22"),
                Nodes.backend("app3", "fd00::2"));
        Staging real = new Staging(target(nodes, kill, FILE), owners -> LB1);
        assertThat(real.stage("backend-kill", Arming.CONFIRMED, null)
                        .description()
                        .victim())
                .isEqualTo(victim);
    }

    @Test
    void unknown_fault_is_answered_with_those_that_there_are() {
        assertThatThrownBy(() -> staging(LB1, true).stage("boom", Arming.CONFIRMED, null))
                .isInstanceOf(FaultException.class)
                .hasMessage(
                        "pair.toml has no [fault.boom]; it has: backend-kill, backend-slow, kill, misspelt, node-down, plain");
    }

    @Test
    void unarmed_only_a_lab_may_be_hit() {
        assertThatThrownBy(() -> staging(LB1, true).stage("kill", Arming.UNCONFIRMED, null))
                .hasMessage("kill is not armed: it would act on http://198.18.0.50/ for real; "
                        + "add -Jswitchover.armed=true to confirm it");
        for (Arming unsaid : List.of(Arming.SAVED, Arming.DECLINED)) {
            assertThatThrownBy(() -> staging(LB1, true).stage("kill", unsaid, null))
                    .hasMessageStartingWith("kill is not armed: it would act on ")
                    .hasMessageEndingWith(unsaid.advice());
        }
        assertThat(Arming.SAVED.advice()).contains("add -Jswitchover.armed=true to the command line");
        Staging lab = new Staging(target(Path.of("/run/lab"), false), owners -> LB1);
        assertThat(lab.stage("node-down", Arming.UNCONFIRMED, null).recipe().name())
                .isEqualTo("node-down");
        assertThat(lab.stage("backend-kill", Arming.UNCONFIRMED, null)
                        .description()
                        .victim())
                .isEqualTo("web1");
    }

    @Test
    void real_node_is_not_cut_off_without_a_dead_man() {
        assertThatThrownBy(() -> staging(LB1, true).stage("node-down", Arming.CONFIRMED, null))
                .hasMessageContaining("can cut the path to the node");
    }

    @Test
    void misspelt_name_of_a_node_is_refused_before_a_command_gets_it() {
        assertThatThrownBy(() -> staging(LB1, true).stage("misspelt", Arming.CONFIRMED, null))
                .hasMessage("[fault.misspelt] has {mastr} in a command: only {master} and {backup} are replaced");
    }

    @Test
    void ambiguous_master_is_refused_where_the_recipe_names_it() {
        assertThatThrownBy(() -> staging(NOBODY, true).stage("kill", Arming.CONFIRMED, null))
                .hasMessage("kill does not fire: the master is ambiguous (no answer)");
        assertThat(staging(NOBODY, true).stage("plain", Arming.CONFIRMED, null).names())
                .isEqualTo(Map.of("master", "", "backup", ""));
    }

    @Test
    void running_source_is_believed_without_asking_the_target() {
        Staging silent = new Staging(target(null, false), owners -> {
            throw new AssertionError("it was asked");
        });
        assertThat(silent.stage("kill", Arming.CONFIRMED, Map.of("lb1", false, "lb2", true))
                        .names())
                .containsEntry("master", "lb2")
                .containsEntry("backup", "lb1");
    }

    @Test
    void same_master_right_before_the_kill_is_let_through_and_another_is_not() {
        Staging staging = staging(LB1, true);
        StagedFault staged = staging.stage("kill", Arming.CONFIRMED, null);
        staging.refuseAnotherMaster(staged, Map.of("lb1", true, "lb2", false));
        staging.refuseAnotherMaster(staged, unknown());
        assertThatThrownBy(() -> staging.refuseAnotherMaster(staged, Map.of("lb1", false, "lb2", true)))
                .hasMessage("kill does not fire: lb1 was the master at the preflight, but lb2 is the master now"
                        + " (it holds the address)");
        assertThatThrownBy(() -> staging(NOBODY, true).refuseAnotherMaster(staged, Map.of()))
                .hasMessage(
                        "kill does not fire: lb1 was the master at the preflight, but no master is known now (no answer)");
    }

    @Test
    void dedicated_target_is_sent_no_request_that_its_counters_would_see() {
        Staging dedicated = new Staging(target(null, true), owners -> {
            throw new AssertionError("it was asked");
        });
        StagedFault staged = staging(LB1, true).stage("kill", Arming.CONFIRMED, null);
        dedicated.refuseAnotherMaster(staged, unknown());
        assertThatThrownBy(() -> dedicated.stage("kill", Arming.CONFIRMED, Map.of()))
                .hasMessageContaining("a request to find the master would change its exact counts");
    }

    private static Target target(List<Node> balancers, Map<String, FaultRecipe> faults, Path file) {
        return new Target(
                Endpoints.at("http://198.18.0.50/"),
                IdentitySettings.DEFAULT,
                balancers,
                faults,
                null,
                null,
                new Target.TargetOrigin(file, null));
    }

    private static Map<String, Boolean> unknown() {
        Map<String, Boolean> unknown = new HashMap<>();
        unknown.put("lb1", null);
        return unknown;
    }

    private static Staging staging(Master found, boolean real) {
        return new Staging(target(real ? null : Path.of("/run/lab"), false), owners -> found);
    }

    private static Target target(Path lab, boolean dedicated) {
        Endpoint endpoint =
                dedicated ? Endpoints.dedicated("http://198.18.0.50/") : Endpoints.at("http://198.18.0.50/");
        List<Node> nodes = List.of(Nodes.balancer("lb1"), Nodes.balancer("lb2"));
        return new Target(
                endpoint,
                IdentitySettings.DEFAULT,
                nodes,
                Map.of(
                        "kill", recipe("kill", "{master}"),
                        "plain", recipe("plain", "lb1"),
                        "node-down", recipe("node-down", "{master}"),
                        "backend-kill", recipe("backend-kill", "web1"),
                        "backend-slow", recipe("backend-slow", "{master}"),
                        "misspelt", recipe("misspelt", "{mastr}")),
                null,
                null,
                new Target.TargetOrigin(FILE, lab));
    }

    private static FaultRecipe recipe(String name, String node) {
        return Recipe.with(
                Recipe.named(name), Step.KILL, List.of("ssh", node, "kill"), Step.VERIFY_DOWN, List.of("true"));
    }
}
