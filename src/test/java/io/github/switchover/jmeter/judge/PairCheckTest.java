package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.FaultRun.FaultNodes;
import io.github.switchover.jmeter.run.FaultRun.FaultPrediction;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.TargetFacts;
import io.github.switchover.jmeter.run.TargetFacts.NodeFacts;
import io.github.switchover.jmeter.run.WitnessCheck;
import io.github.switchover.jmeter.run.WitnessCheck.Wholeness;
import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After the heal: what is as before, what the fault left broken, and what else has changed. */
class PairCheckTest {

    private static final long SECOND = 1_000_000;
    private static final long FIRED = 5 * SECOND;
    private static final long HEALED = 20 * SECOND;
    private static final Ownership NO_WITNESS = Ownership.of(List.of());
    private static final Map<String, String> OPEN = Map.of("www", "OPEN");
    private static final Map<String, String> UP = Map.of("web/web1", "UP", "web/web2", "UP");

    @Test
    void the_pair_is_looked_at_5_s_after_its_heal_and_wholly_once_the_failback_is_due() {
        assertThat(PairCheck.of(run("lb1", 5 * SECOND - 1, null), owners("lb1"), alike()))
                .isNull();
        assertThat(names(PairCheck.of(run("lb1", 5 * SECOND, null), owners("lb1"), alike())))
                .containsExactly("answers", "frontends", "servers", "answers", "frontends", "servers", "one_holder");
        assertThat(names(PairCheck.of(run("lb1", 9 * SECOND - 1, 4000.0), owners("lb1"), alike())))
                .containsExactly("answers", "answers");
        assertThat(names(PairCheck.of(run("lb1", 9 * SECOND, 4000.0), owners("lb1"), alike())))
                .contains("one_holder", "returned");
    }

    @Test
    void without_a_fault_that_was_fired_and_healed_in_a_run_that_ended_no_pair_is_looked_at() {
        Run run = run("lb1", 9 * SECOND, null);
        PlanTimes plan = run.plan();
        assertThat(PairCheck.of(run.with((FaultRun) null), NO_WITNESS, alike())).isNull();
        assertThat(PairCheck.of(
                        run.with(PlanTimes.NOTHING.started(0).healed(HEALED).ended(plan.endUs())), NO_WITNESS, alike()))
                .isNull();
        assertThat(PairCheck.of(
                        run.with(
                                PlanTimes.NOTHING.started(0).fired(FIRED, FIRED).ended(plan.endUs())),
                        NO_WITNESS,
                        alike()))
                .isNull();
        assertThat(PairCheck.of(
                        run.with(
                                PlanTimes.NOTHING.started(0).fired(FIRED, FIRED).healed(HEALED)),
                        NO_WITNESS,
                        alike()))
                .isNull();
    }

    @Test
    void a_balancer_that_was_asked_on_until_5_s_after_the_heal_is_looked_at_alone() {
        Run run = run("lb1", SECOND, null);
        Map<String, NodeLife> lives = new LinkedHashMap<>(alike());
        lives.put("lb2", life("lb2", HEALED + 5 * SECOND, UP, OPEN));
        assertThat(PairCheck.of(run, NO_WITNESS, lives).others())
                .containsExactly(new WitnessCheck("answers", true, "lb2 answers scrapes"));
        lives.put("lb2", life("lb2", HEALED + 5 * SECOND - 1, UP, OPEN));
        assertThat(PairCheck.of(run, NO_WITNESS, lives)).isNull();
    }

    @Test
    void a_pair_that_is_as_before_says_so_of_each_part() {
        PairCheck found = PairCheck.of(run("lb1", 9 * SECOND, 4000.0), owners("lb1"), alike());
        assertThat(found.healed())
                .containsExactly(
                        new WitnessCheck("answers", true, "lb1 answers scrapes"),
                        new WitnessCheck("frontends", true, "frontends as before"));
        assertThat(found.others())
                .containsExactly(
                        new WitnessCheck("servers", true, "lb1: the same servers are up"),
                        new WitnessCheck("answers", true, "lb2 answers scrapes"),
                        new WitnessCheck("frontends", true, "frontends as before"),
                        new WitnessCheck("servers", true, "lb2: the same servers are up"),
                        new WitnessCheck("one_holder", true, "lb1 alone held the address at the end"),
                        new WitnessCheck("returned", true, "the address is with lb1"));
        assertThat(PairCheck.wholeness(found).whole()).isTrue();
    }

    @Test
    void a_balancer_that_answers_no_more_is_broken_and_of_one_that_was_not_asked_nothing_is_known() {
        Run run = run("lb1", 9 * SECOND, null);
        Map<String, NodeLife> silent = Map.of("lb1", silentFrom(HEALED, 0));
        assertThat(PairCheck.of(run, NO_WITNESS, silent).healed())
                .containsExactly(new WitnessCheck("answers", false, "no scrape of lb1 succeeds any more"));
        Map<String, NodeLife> unasked = Map.of("lb1", silentFrom(HEALED, HEALED));
        PairCheck found = PairCheck.of(run, NO_WITNESS, unasked);
        assertThat(found.healed()).containsExactly(new WitnessCheck("answers", null, "lb1 was not scraped at the end"));
        assertThat(PairCheck.wholeness(found).whole()).isNull();
        assertThat(names(PairCheck.of(run, NO_WITNESS, Map.of("lb1", life("lb1", 0, List.of())))))
                .isEmpty();
    }

    @Test
    void the_last_scrape_that_counts_is_that_of_the_end() {
        Run run = run("lb1", 9 * SECOND, null);
        for (long atUs : new long[] {29 * SECOND, 29 * SECOND + 1}) {
            List<BalancerState> states = new ArrayList<>(everySecond(UP, OPEN, UP, OPEN));
            states.removeIf(state -> state.atUs() >= 29 * SECOND);
            states.add(state(atUs, UP, Map.of("www", "STOP")));
            PairCheck found = PairCheck.of(run, NO_WITNESS, Map.of("lb2", life("lb2", 0, states)));
            assertThat(PairCheck.wholeness(found).whole()).isEqualTo(atUs > 29 * SECOND);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lb1", "lb2"})
    void frontends_that_are_not_as_before_are_of_the_fault_where_the_victim_has_them(String node) {
        Map<String, String> before = new TreeMap<>(Map.of("www", "OPEN", "api", "OPEN", "old", "OPEN"));
        Map<String, String> after = Map.of("www", "STOP", "api", "STOP", "old", "OPEN", "new", "OPEN");
        PairCheck found = PairCheck.of(
                run("lb1", 9 * SECOND, null),
                NO_WITNESS,
                Map.of(node, life(node, 0, everySecond(Map.of(), before, Map.of(), after))));
        assertThat(node.equals("lb1") ? found.healed() : found.others())
                .containsExactly(
                        new WitnessCheck("answers", true, node + " answers scrapes"),
                        new WitnessCheck("frontends", false, node + ": frontends api, www are not as before"));
        assertThat(node.equals("lb1") ? found.others() : found.healed()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lb1", "web1"})
    void a_server_that_was_up_and_is_not_is_of_the_fault_that_hit_it(String victim) {
        for (Map<String, String> after :
                List.of(Map.of("web/web1", "DOWN", "web/web2", "UP"), Map.of("web/web2", "UP"))) {
            PairCheck found = PairCheck.of(
                    run(victim, 9 * SECOND, null),
                    NO_WITNESS,
                    Map.of("lb2", life("lb2", 0, everySecond(UP, Map.of(), after, Map.of()))));
            String status = after.getOrDefault("web/web1", "gone");
            WitnessCheck changed = new WitnessCheck("servers", false, "lb2: web/web1 is " + status + ", and was up");
            assertThat(victim.equals("web1") ? found.healed() : found.others()).contains(changed);
            assertThat(names(found)).containsExactlyInAnyOrder("answers", "servers");
            assertThat(PairCheck.wholeness(found).whole()).isFalse();
        }
    }

    @Test
    void where_the_victim_is_not_known_the_servers_are_of_the_fault() {
        PairCheck found = PairCheck.of(run("", 9 * SECOND, null), NO_WITNESS, alike());
        assertThat(found.healed()).extracting(WitnessCheck::name).containsExactly("servers", "servers");
    }

    @Test
    void a_server_that_was_down_before_need_not_be_up() {
        Map<String, String> down = Map.of("web/web1", "DOWN");
        PairCheck found = PairCheck.of(
                run("lb1", 9 * SECOND, null),
                NO_WITNESS,
                Map.of("lb2", life("lb2", 0, everySecond(down, Map.of(), down, Map.of()))));
        assertThat(names(found)).containsExactly("answers");
    }

    @Test
    void the_address_is_with_one_and_where_it_was_to_return_with_the_master() {
        Run run = run("lb1", 9 * SECOND, 4000.0);
        assertThat(PairCheck.of(run, owners(), Map.of()).others())
                .containsExactly(new WitnessCheck("one_holder", false, "no node held the address at the end"));
        assertThat(PairCheck.of(run, owners("lb1", "lb2"), Map.of()).others())
                .containsExactly(new WitnessCheck("one_holder", false, "lb1 and lb2 held the address at the end"));
        assertThat(PairCheck.of(run, owners("lb2"), Map.of()).others())
                .containsExactly(
                        new WitnessCheck("one_holder", true, "lb2 alone held the address at the end"),
                        new WitnessCheck("returned", false, "the address is with lb2, and was to return to lb1"));
        FaultRun ofOther = FaultRun.of("f", FaultRun.BACKEND, new FaultNodes("x", null, "web1", null))
                .withPrediction(run.fault().prediction());
        assertThat(names(PairCheck.of(run.with(ofOther), owners("lb2"), Map.of())))
                .containsExactly("one_holder");
    }

    @Test
    void of_one_balancer_or_without_a_witness_on_each_nothing_is_said_of_the_address() {
        Run run = run("lb1", 9 * SECOND, null);
        assertThat(names(PairCheck.of(run, NO_WITNESS, Map.of()))).isEmpty();
        TargetFacts alone = new TargetFacts(null, null, false, null, List.of(node("lb1")), false, null);
        assertThat(names(PairCheck.of(run.with(alone), owners("lb1"), Map.of())))
                .isEmpty();
    }

    @Test
    void a_pair_that_is_not_known_to_be_whole_is_warned_of_where_a_fault_was_healed() {
        Run run = run("lb1", 9 * SECOND, null);
        assertThat(PairCheck.warnings(run, null)).hasSize(1);
        assertThat(PairCheck.warnings(run, new PairCheck(List.of(), List.of()))).hasSize(1);
        WitnessCheck check = new WitnessCheck("answers", false, "");
        assertThat(PairCheck.warnings(run, new PairCheck(List.of(check), List.of())))
                .isEmpty();
        assertThat(PairCheck.warnings(run.with((FaultRun) null), null)).isEmpty();
        assertThat(PairCheck.warnings(run.with(FaultRun.none(null)), null)).isEmpty();
        assertThat(PairCheck.warnings(run.with(PlanTimes.NOTHING.healed(HEALED)), null))
                .isEmpty();
        assertThat(PairCheck.warnings(run.with(PlanTimes.NOTHING.fired(FIRED, FIRED)), null))
                .isEmpty();
    }

    @Test
    void one_check_that_does_not_hold_is_not_whole_and_none_that_is_known_tells_nothing() {
        assertThat(PairCheck.wholeness(null)).isNull();
        assertThat(whole((Boolean) null)).isNull();
        assertThat(whole(null, true)).isTrue();
        assertThat(whole(true, false)).isFalse();
    }

    private static Boolean whole(Boolean... holds) {
        List<WitnessCheck> checks = new ArrayList<>();
        for (Boolean one : holds) {
            checks.add(new WitnessCheck("answers", one, ""));
        }
        return PairCheck.wholeness(new PairCheck(List.of(), checks)).whole();
    }

    private static List<String> names(PairCheck found) {
        Wholeness told = PairCheck.wholeness(found);
        return told.checks().stream().map(WitnessCheck::name).toList();
    }

    /** A run that ended so long after its heal was verified. */
    private static Run run(String victim, long afterHealUs, Double settledMs) {
        FaultPrediction predicted = new FaultPrediction(null, null, "", false, null, null, settledMs);
        FaultNodes nodes = new FaultNodes(victim.isEmpty() ? null : "lb1", "lb2", victim, null);
        return Run.named("r", "n")
                .with(PlanTimes.NOTHING
                        .started(0)
                        .fired(FIRED, FIRED + 500)
                        .healed(HEALED)
                        .ended(HEALED + afterHealUs))
                .with(FaultRun.of("haproxy-kill", FaultRun.MASTER, nodes).withPrediction(predicted))
                .with(new TargetFacts(null, null, false, null, List.of(node("lb1"), node("lb2")), false, null));
    }

    private static NodeFacts node(String name) {
        return new NodeFacts(name, "balancer", null, true, false, true, false);
    }

    private static Ownership owners(String... holders) {
        List<Point> points = new ArrayList<>();
        for (String node : List.of("lb1", "lb2")) {
            boolean holds = List.of(holders).contains(node);
            points.add(new Point(
                    Measurements.VRRP,
                    Map.of("node", node, "instance", "VI_1"),
                    Map.of("holds_vip", FieldValue.of(holds)),
                    HEALED * 1000));
        }
        return Ownership.of(points);
    }

    /** Both, scraped each second and as before. */
    private static Map<String, NodeLife> alike() {
        Map<String, NodeLife> lives = new LinkedHashMap<>();
        lives.put("lb1", life("lb1", 0, UP, OPEN));
        lives.put("lb2", life("lb2", 0, UP, OPEN));
        return lives;
    }

    private static NodeLife life(
            String node, long askedUs, Map<String, String> servers, Map<String, String> frontends) {
        return life(node, askedUs, everySecond(servers, frontends, servers, frontends));
    }

    private static NodeLife life(String node, long askedUs, List<BalancerState> states) {
        return new NodeLife(node, states, askedUs);
    }

    private static NodeLife silentFrom(long atUs, long askedUs) {
        List<BalancerState> states = new ArrayList<>(everySecond(UP, OPEN, UP, OPEN));
        states.removeIf(state -> state.atUs() > atUs);
        return life("lb1", askedUs, states);
    }

    private static List<BalancerState> everySecond(
            Map<String, String> serversBefore,
            Map<String, String> frontendsBefore,
            Map<String, String> servers,
            Map<String, String> frontends) {
        return LongStream.range(0, 30)
                .map(second -> second * SECOND)
                .mapToObj(atUs ->
                        atUs < HEALED ? state(atUs, serversBefore, frontendsBefore) : state(atUs, servers, frontends))
                .toList();
    }

    private static BalancerState state(long atUs, Map<String, String> servers, Map<String, String> frontends) {
        return new BalancerState(atUs, "1", frontends, servers, Map.of(), 0);
    }
}
