package io.github.switchover.jmeter.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Recipe;
import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.drill.BackupCheck.OtherServer;
import io.github.switchover.jmeter.faults.Staging.StagedFault;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.BalancerState;
import io.github.switchover.jmeter.telemetry.Nodes;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Nothing is killed unless something is proven to stand in for it. */
class BackupCheckTest {

    private static final FaultRecipe PLAIN = Recipe.with(Recipe.named("kill"), Step.KILL, List.of("true"));
    private static final FaultRecipe ASKING =
            Recipe.with(PLAIN, Step.READY, List.of("sh", "-c", "test \"$1\" = lb2", "sh", "{backup}"));
    private static final Map<String, Map<String, String>> IN_BACKUP =
            Map.of("lb1", Map.of("VI_1", "MASTER"), "lb2", Map.of("VI_1", "BACKUP"));

    private static final Source UP = haproxy("UP", "UP");
    private static final Source HALF = haproxy("UP", "DOWN");
    private static final Source DOWN = haproxy("DOWN", "DOWN");
    private static final Source DEAD = new Source.Command(List.of("false"));

    @Test
    void backup_whose_haproxy_answers_and_whose_keepalived_is_in_backup_is_fit() {
        assertThat(check(PLAIN, IN_BACKUP, balancer("lb1", UP), balancer("lb2", UP))
                        .require(false))
                .isEqualTo("lb2 can take over: HAProxy answers, 2 servers up, Keepalived is in BACKUP");
    }

    @Test
    void backup_that_is_dead_keeps_the_master_alive() {
        assertRefused(
                check(PLAIN, IN_BACKUP, balancer("lb1", UP), balancer("lb2", DEAD)),
                "no backup is proven healthy (lb2: `false`: exit status 1)");
        assertRefused(
                check(PLAIN, IN_BACKUP, balancer("lb1", UP), balancer("lb2", DOWN)),
                "lb2: HAProxy has no server that is up");
        assertRefused(
                check(PLAIN, IN_BACKUP, balancer("lb1", UP), balancer("lb2", HALF)),
                "lb2: HAProxy does not report web/web2 as up, but the master does");
    }

    @Test
    void keepalived_in_fault_wins_over_a_ready_that_succeeds() {
        Map<String, Map<String, String>> fault = Map.of("lb2", Map.of("VI_1", "FAULT"));
        assertRefused(
                check(ASKING, fault, balancer("lb1", UP), balancer("lb2", UP)),
                "lb2: Keepalived is in FAULT, not in BACKUP");
    }

    @Test
    void backup_that_is_known_by_half_needs_the_ready_command() {
        assertRefused(
                check(PLAIN, Map.of(), balancer("lb1", UP), balancer("lb2", UP)),
                "lb2: Keepalived has reported no state; add ready = [\"ssh\", \"{backup}\", …] to [fault.kill]");
        assertRefused(
                check(PLAIN, IN_BACKUP, balancer("lb1", null), balancer("lb2", null)),
                "lb2: the balancer has no telemetry");
        assertThat(check(ASKING, Map.of(), balancer("lb1", null), balancer("lb2", null))
                        .require(false))
                .isEqualTo("lb2 can take over: the command `ready` succeeds");
        assertRefused(
                check(ASKING, Map.of(), balancer("lb1", null), balancer("lb3", null)),
                "lb3: [fault.kill] ready: `sh …`: exit status 1");
    }

    @Test
    void last_balancer_is_hit_only_where_that_is_said() {
        BackupCheck alone = check(PLAIN, Map.of(), balancer("lb1", UP));
        assertRefused(
                alone,
                "no other balancer, so nothing would take over; add -Jswitchover.allow.no.backup=true to fire the fault anyway");
        assertThat(alone.require(true)).contains("because of -Jswitchover.allow.no.backup=true");
    }

    @Test
    void backend_is_hit_only_where_another_server_is_up() {
        FaultRun backend =
                FaultRun.of("kill", FaultRun.BACKEND, new FaultRun.FaultNodes("lb1", "lb2", "web1", "header"));
        assertThat(check(PLAIN, backend, Map.of(), balancer("lb1", UP), balancer("lb2", DEAD))
                        .require(false))
                .isEqualTo("web/web2 is up at lb1");
        assertRefused(check(PLAIN, backend, Map.of(), balancer("lb1", HALF)), "lb1 has no other server that is up");
    }

    @Test
    void backup_whose_frontend_is_disabled_is_refused() {
        Source open = frontends("OPEN", "OPEN");
        assertThat(check(PLAIN, IN_BACKUP, balancer("lb1", frontends("FULL", "STOP")), balancer("lb2", open))
                        .require(false))
                .startsWith("lb2 can take over");
        assertRefused(
                check(PLAIN, IN_BACKUP, balancer("lb1", open), balancer("lb2", frontends("PAUSED", "OPEN"))),
                "lb2: HAProxy accepts no connections at www, which is disabled");
        assertRefused(
                check(PLAIN, IN_BACKUP, balancer("lb1", DEAD), balancer("lb2", frontends("PAUSED", "STOP"))),
                "lb2: HAProxy accepts no connections at stats, www, which are disabled");
        assertRefused(
                check(
                        PLAIN,
                        IN_BACKUP,
                        balancer("lb1", frontends("OPEN", "STOP")),
                        balancer("lb2", frontends("STOP", "STOP"))),
                "lb2: HAProxy accepts no connections at www, which is disabled");
    }

    @Test
    void a_balancer_that_tells_of_no_server_says_nothing_for_or_against() {
        Source empty = new Source.Command(List.of(
                "printf",
                "%s",
                "Name: HAProxy\nPid: 7\nUptime_sec: 5\n\n# pxname,svname,status,type,\nweb,FRONTEND,OPEN,0,\n\n"));
        assertThat(check(PLAIN, IN_BACKUP, balancer("lb1", empty), balancer("lb2", empty))
                        .require(false))
                .isEqualTo("lb2 can take over: HAProxy answers, Keepalived is in BACKUP");
        FaultRun backend =
                FaultRun.of("kill", FaultRun.BACKEND, new FaultRun.FaultNodes("lb1", "lb2", "web1", "header"));
        assertThat(check(ASKING, backend, Map.of(), balancer("lb1", empty)).require(false))
                .isEqualTo("the command `ready` succeeds");
        assertRefused(
                check(PLAIN, backend, Map.of(), balancer("lb1", empty)),
                "no other backend is proven healthy (no balancer reports its servers, and the fault has no command `ready`)");
    }

    private static void assertRefused(BackupCheck check, String why) {
        assertThatThrownBy(() -> check.require(false))
                .isInstanceOf(FaultException.class)
                .hasMessageStartingWith("kill does not fire: ")
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @VectorSource(file = "server_status.json", table = "beside_a_victim")
    @SuppressWarnings("unchecked")
    void a_server_stands_in_for_the_victim_where_python_says_so(Map<String, Object> vector) {
        Map<String, Long> weights = ((Map<String, Number>) vector.get("weights"))
                .entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, weight -> weight.getValue().longValue()));
        Map<String, String> servers = (Map<String, String>) vector.get("servers");
        BalancerState state = new BalancerState(0, "", Map.of(), servers, weights, 0);
        assertThat(OtherServer.in(state, (String) vector.get("victim")))
                .isEqualTo(new OtherServer((String) vector.get("found"), (String) vector.get("lacks")));
    }

    private static BackupCheck check(FaultRecipe recipe, Map<String, Map<String, String>> states, Node... nodes) {
        FaultRun master = FaultRun.of("kill", FaultRun.MASTER, new FaultRun.FaultNodes("lb1", "lb2", "lb1", "header"));
        return check(recipe, master, states, nodes);
    }

    private static BackupCheck check(
            FaultRecipe recipe, FaultRun description, Map<String, Map<String, String>> states, Node... nodes) {
        Target target = Nodes.target("http://127.0.0.1/", Map.of("kill", recipe), nodes);
        return new BackupCheck(
                target, new StagedFault(recipe, Map.of("master", "lb1", "backup", "lb2"), description), states);
    }

    private static Node balancer(String name, Source haproxy) {
        return Nodes.watched(name, haproxy);
    }

    private static Source haproxy(String web1, String web2) {
        return saying("web,web1," + web1 + ",2,\nweb,web2," + web2 + ",2,\n");
    }

    private static Source frontends(String www, String stats) {
        return saying("www,FRONTEND," + www + ",0,\nstats,FRONTEND," + stats + ",0,\nweb,web1,UP,2,\n");
    }

    /** What its socket would say, printed by a command. */
    private static Source saying(String rows) {
        String table = "Name: HAProxy\nPid: 7\nUptime_sec: 5\n\n# pxname,svname,status,type,\n" + rows + "\n";
        return new Source.Command(List.of("printf", "%s", table));
    }
}
