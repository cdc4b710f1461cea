package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.AnsweredBy;
import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.judge.Outage.AwayTime;
import io.github.switchover.jmeter.judge.Outage.Losses;
import io.github.switchover.jmeter.run.CutPhase;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.FaultRun.FaultNodes;
import io.github.switchover.jmeter.run.OutageKind;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.WitnessCheck;
import io.github.switchover.jmeter.run.WitnessCheck.Effect;
import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each witness of a fault by itself: what it saw, what it denies, and what it cannot tell. */
class FaultEffectTest {

    private static final long SECOND = 1_000_000;
    private static final long FIRED = 5 * SECOND;
    private static final long HEAL = 20 * SECOND;
    private static final Span FAULTED = new Span(FIRED, HEAL);
    private static final Map<String, String> OPEN = Map.of("www", "OPEN");

    @Test
    void what_looks_at_the_very_thing_outranks_what_only_saw_something() {
        BalancerState before = state(SECOND, "1", OPEN, Map.of());
        BalancerState stayed = state(19 * SECOND, "1", OPEN, Map.of());
        assertThat(of("epoch").lives(before, stayed).impaired().effect().seen()).isFalse();
        assertThat(of("frontend").lives(before, stayed).impaired().effect().seen())
                .isFalse();
        assertThat(of("scrapes").lives(everySecond()).impaired().effect().seen())
                .isFalse();
        assertThat(of("server").lives(before, stayed).impaired().effect().seen())
                .isTrue();
        assertThat(of("owner").owned(vrrp("lb2", 0, false)).impaired().effect().seen())
                .isTrue();
        assertThat(of("owner").owned(vrrp("lb2", 0, false)).effect().seen()).isFalse();
        assertThat(of("owner").effect().seen()).isNull();
    }

    @Test
    void a_fault_that_names_no_witness_is_seen_by_any_and_denied_by_none() {
        Effect found = of().lives(everySecond()).effect();
        assertThat(found.checks())
                .extracting(WitnessCheck::name)
                .containsExactly("epoch", "frontend", "scrapes", "owner", "probes");
        assertThat(found.checks()).extracting(WitnessCheck::holds).containsOnlyNulls();
        assertThat(found.checks().get(0).text()).isEqualTo("the same process answered on lb1 all the time");
        assertThat(of().lives(state(SECOND, "1", OPEN, Map.of()), state(19 * SECOND, "2", OPEN, Map.of()))
                        .effect()
                        .seen())
                .isTrue();
        assertThat(new Witnessed(FaultRun.of("ours", FaultRun.BACKEND, new FaultNodes("lb1", null, "web1", null)))
                        .effect()
                        .checks())
                .extracting(WitnessCheck::name)
                .containsExactly("server", "probes");
    }

    @Test
    void the_witnesses_of_a_run_come_before_those_of_its_mechanism_and_the_probes_last() {
        assertThat(of("probes", "unheard of", "owner").effect().checks())
                .extracting(WitnessCheck::name)
                .containsExactly("owner", "probes");
        assertThat(new Witnessed(
                                FaultRun.of("haproxy-kill", FaultRun.MASTER, new FaultNodes("lb1", "lb2", "lb1", null)))
                        .effect()
                        .checks())
                .extracting(WitnessCheck::name)
                .containsExactly("epoch", "probes");
    }

    @Test
    void another_process_or_none_answers_where_one_was_ended() {
        BalancerState before = state(4 * SECOND, "1", OPEN, Map.of());
        assertThat(of("epoch")
                        .lives(before, state(HEAL - 1, "2", OPEN, Map.of()))
                        .check("epoch"))
                .isEqualTo(new WitnessCheck("epoch", true, "another process answered on lb1"));
        assertThat(of("epoch").lives(before).check("epoch"))
                .isEqualTo(new WitnessCheck("epoch", true, "the process on lb1 stopped to answer"));
        assertThat(of("epoch").lives(everySecond()).check("epoch"))
                .isEqualTo(new WitnessCheck("epoch", false, "the same process answered on lb1 all the time"));
        WitnessCheck unknown = new WitnessCheck("epoch", null, "lb1 was not scraped before the fault");
        assertThat(of("epoch").lives(state(FIRED, "1", OPEN, Map.of())).check("epoch"))
                .isEqualTo(unknown);
        assertThat(of("epoch").check("epoch")).isEqualTo(unknown);
    }

    @Test
    void scrapes_that_were_answered_all_the_time_deny_that_it_stopped() {
        assertThat(of("scrapes").lives(everySecond()).check("scrapes"))
                .isEqualTo(new WitnessCheck("scrapes", false, "lb1 answered its scrapes all the time"));
        assertThat(of("scrapes").lives(state(4 * SECOND, "1", OPEN, Map.of())).check("scrapes"))
                .isEqualTo(new WitnessCheck("scrapes", true, "lb1 stopped to answer scrapes"));
        WitnessCheck unknown = new WitnessCheck("scrapes", null, "lb1 was not scraped before the fault");
        assertThat(of("scrapes").lives(state(FIRED, "1", OPEN, Map.of())).check("scrapes"))
                .isEqualTo(unknown);
        assertThat(of("scrapes").check("scrapes")).isEqualTo(unknown);
    }

    @Test
    void a_scrape_while_the_kill_was_under_way_does_not_deny_it() {
        BalancerState before = state(4 * SECOND + 500_000, "1", OPEN, Map.of());
        BalancerState during = state(FIRED + 200, "1", OPEN, Map.of());
        BalancerState after = state(FIRED + 501, "1", OPEN, Map.of());
        for (String kind : List.of("epoch", "scrapes")) {
            Witnessed scene = of(kind).within(FIRED + 900);
            assertThat(scene.lives(before, during).check(kind))
                    .isEqualTo(new WitnessCheck(kind, null, "lb1 was not scraped between the fault and its heal"));
            assertThat(scene.lives(before, during, after).check(kind).holds()).isFalse();
            assertThat(scene.within(FIRED + 400)
                            .lives(before, during)
                            .check(kind)
                            .holds())
                    .isNull();
        }
    }

    @Test
    void a_kill_whose_end_is_not_known_was_at_its_beginning() {
        Witnessed scene = of("epoch").within(FIRED + 900);
        scene.plan = new PlanTimes(0L, new PlanTimes.FaultTimes(FIRED, null, null), scene.plan.heal(), null);
        assertThat(scene.lives(state(4 * SECOND, "1", OPEN, Map.of()), state(FIRED + 1, "1", OPEN, Map.of()))
                        .check("epoch")
                        .holds())
                .isFalse();
    }

    @Test
    void a_frontend_that_changed_its_status_was_hit() {
        BalancerState before = state(SECOND, "1", OPEN, Map.of());
        BalancerState closed = state(6 * SECOND, "1", Map.of("www", "STOP"), Map.of());
        BalancerState grown = state(6 * SECOND, "1", Map.of("www", "OPEN", "new", "STOP"), Map.of());
        BalancerState late = state(HEAL, "1", Map.of("www", "STOP"), Map.of());
        assertThat(of("frontend").lives(before, closed).check("frontend"))
                .isEqualTo(new WitnessCheck("frontend", true, "lb1: frontend www became STOP"));
        assertThat(of("frontend").lives(before, grown, late).check("frontend"))
                .isEqualTo(new WitnessCheck("frontend", false, "every frontend of lb1 kept its status"));
        WitnessCheck unseen =
                new WitnessCheck("frontend", null, "no frontend of lb1 was seen before and after the fault");
        assertThat(of("frontend").check("frontend")).isEqualTo(unseen);
        assertThat(of("frontend").lives(before).check("frontend")).isEqualTo(unseen);
        assertThat(of("frontend").lives(before, late).check("frontend")).isEqualTo(unseen);
        assertThat(of("frontend").lives(closed).check("frontend")).isEqualTo(unseen);
        assertThat(of("frontend")
                        .lives(state(SECOND, "1", Map.of(), Map.of()), closed)
                        .check("frontend"))
                .isEqualTo(unseen);
    }

    @Test
    void a_balancer_marks_a_server_down_between_the_fault_and_its_heal() {
        assertThat(server(SECOND, "UP", FIRED + 1, "DOWN")).isEqualTo(check(true, "lb1: web1 became DOWN"));
        assertThat(server(SECOND, "UP", HEAL - 1, "DOWN")).isEqualTo(check(true, "lb1: web1 became DOWN"));
        assertThat(server(SECOND, "UP", FIRED + 1, "UP")).isEqualTo(check(false, "web1 stayed up"));
        assertThat(server(SECOND, "DOWN", FIRED + 1, "DOWN")).isEqualTo(check(false, "web1 stayed up"));
        WitnessCheck unknown = check(null, "web1 gave no answer before the fault");
        assertThat(server(SECOND, "UP", FIRED, "DOWN")).isEqualTo(unknown);
        assertThat(server(SECOND, "UP", HEAL, "DOWN")).isEqualTo(unknown);
        assertThat(server(FIRED, "UP", FIRED + 1, "DOWN")).isEqualTo(unknown);
    }

    @Test
    void a_server_gets_less_than_half_of_its_share_or_answers_later() {
        assertThat(ofWeb1().answered(10, 5, 15, 400).check("server"))
                .isEqualTo(check(false, "web1 answered as before"));
        assertThat(ofWeb1().answered(10, 4, 16, 400).check("server"))
                .isEqualTo(check(true, "web1 got 40% of its share from before"));
        assertThat(ofWeb1().answered(10, 10, 10, 400).check("server"))
                .isEqualTo(check(false, "web1 answered as before"));
        assertThat(ofWeb1().answered(10, 10, 10, 400_000).check("server"))
                .isEqualTo(check(true, "web1 answered later than before"));
    }

    @Test
    void an_address_moves_to_another_node_between_the_fault_and_its_heal() {
        Point backup = vrrp("lb2", 0, false);
        WitnessCheck got = new WitnessCheck("owner", true, "lb2 got the address");
        WitnessCheck never = new WitnessCheck("owner", false, "lb2 never got the address");
        assertThat(of("owner").owned(backup, vrrp("lb2", FIRED, true)).check("owner"))
                .isEqualTo(got);
        assertThat(of("owner").owned(backup, vrrp("lb2", HEAL - 1, true)).check("owner"))
                .isEqualTo(got);
        assertThat(of("owner").owned(backup, vrrp("lb2", FIRED - 1, true)).check("owner"))
                .isEqualTo(never);
        assertThat(of("owner").owned(backup, vrrp("lb2", HEAL, true)).check("owner"))
                .isEqualTo(never);
        assertThat(of("owner").owned(backup, vrrp("lb2", FIRED, false)).check("owner"))
                .isEqualTo(never);
        assertThat(of("owner").owned(backup, vrrp("lb1", FIRED, true)).check("owner"))
                .isEqualTo(never);
        assertThat(of("owner").owned(backup, vrrp("lb3", 0, false)).check("owner"))
                .isEqualTo(new WitnessCheck("owner", false, "lb2 and lb3 never got the address"));
        WitnessCheck unknown = new WitnessCheck(
                "owner", null, "no witness of the other nodes, or too short a time to see the address move");
        assertThat(of("owner").owned(vrrp("lb1", 0, true)).check("owner")).isEqualTo(unknown);
        assertThat(of("owner").owned(backup).cut(CutPhase.HOLD).check("owner")).isEqualTo(unknown);
        assertThat(of("owner").owned(backup).cut(CutPhase.RECOVER).check("owner"))
                .isEqualTo(never);
    }

    @Test
    void probes_saw_what_was_impaired_who_else_answered_or_what_failed() {
        assertThat(of("owner").impaired().check("probes"))
                .isEqualTo(new WitnessCheck("probes", true, "1,300 probes were impaired"));
        assertThat(of("owner").check("probes")).isEqualTo(new WitnessCheck("probes", null, "no request was impaired"));
        Witnessed moved = of("owner");
        moved.request(0, "lb1", null);
        moved.request(FIRED, "lb2", null);
        assertThat(moved.check("probes")).isEqualTo(new WitnessCheck("probes", true, "another balancer answered"));
        Witnessed failed = of("owner");
        failed.request(FIRED, "", FailureKind.REFUSED);
        assertThat(failed.check("probes")).isEqualTo(new WitnessCheck("probes", true, "1 requests failed"));
    }

    private static WitnessCheck server(long beforeUs, String before, long sinceUs, String since) {
        return ofWeb1().lives(
                        state(beforeUs, "1", Map.of(), Map.of("web/web0", "UP", "web/web1", before)),
                        state(sinceUs, "1", Map.of(), Map.of("web/web0", "UP", "web/web1", since)))
                .check("server");
    }

    private static WitnessCheck check(Boolean holds, String text) {
        return new WitnessCheck("server", holds, text);
    }

    private static Witnessed of(String... witnesses) {
        return new Witnessed(FaultRun.of("our-own-kill", FaultRun.MASTER, new FaultNodes("lb1", "lb2", "lb1", null))
                .withWitnesses(List.of(witnesses)));
    }

    private static Witnessed ofWeb1() {
        return new Witnessed(FaultRun.of("our-own-kill", FaultRun.BACKEND, new FaultNodes("lb1", null, "web1", null))
                .withWitnesses(List.of("server")));
    }

    private static BalancerState[] everySecond() {
        BalancerState[] states = new BalancerState[20];
        Arrays.setAll(states, second -> state(second * SECOND, "1", OPEN, Map.of()));
        return states;
    }

    private static BalancerState state(
            long atUs, String epoch, Map<String, String> frontends, Map<String, String> servers) {
        return new BalancerState(atUs, epoch, frontends, servers, Map.of(), 0);
    }

    private static Point vrrp(String node, long atUs, boolean holds) {
        return new Point(
                Measurements.VRRP,
                Map.of("node", node, "instance", "VI_1"),
                Map.of("holds_vip", FieldValue.of(holds)),
                atUs * 1000);
    }

    /** A fault from 5 to 20 s, and what there is to see of it. */
    private static final class Witnessed {

        private final FaultRun fault;
        private final List<Point> owners = new ArrayList<>();
        private PlanTimes plan = PlanTimes.NOTHING.started(0).fired(FIRED, FIRED + 500);
        private Span faulted = FAULTED;
        private AnswerWitness answers;
        private Map<String, NodeLife> lives = Map.of();
        private Outage outage;
        private List<CutPhase> cut = List.of();

        Witnessed(FaultRun fault) {
            this.fault = fault;
            answers = new AnswerWitness(fault.hit(), FAULTED);
        }

        /** Of lb1. */
        Witnessed lives(BalancerState... states) {
            lives = Map.of("lb1", new NodeLife("lb1", List.of(states), 0));
            return this;
        }

        Witnessed within(long healUs) {
            faulted = new Span(FIRED, healUs);
            return this;
        }

        Witnessed owned(Point... points) {
            owners.addAll(List.of(points));
            return this;
        }

        Witnessed cut(String phase) {
            cut = List.of(new CutPhase(phase, 1.0, 6.0, true));
            return this;
        }

        Witnessed impaired() {
            Gap gap = new Gap(
                    new Span(FIRED, FIRED + 9), new Span(FIRED, FIRED), new Gap.Impaired(1300, 0, FIRED), 0, 0, true);
            outage = new Outage(
                    OutageKind.OUTAGE,
                    new AwayTime(9, 0, false),
                    List.of(gap),
                    List.of(),
                    new Losses(null, null),
                    new Span(0, 0));
            return this;
        }

        /** By web1 and another as often before the fault, and since as often as this; those since took so long. */
        Witnessed answered(int before, int own, int others, long tookUs) {
            for (int at = 0; at < before; at++) {
                answer("web1", 0, 400);
                answer("web2", 0, 400);
            }
            for (int at = 0; at < own; at++) {
                answer("web1", FIRED, tookUs);
            }
            for (int at = 0; at < others; at++) {
                answer("web2", FIRED, tookUs);
            }
            return this;
        }

        private void answer(String backend, long startUs, long tookUs) {
            Identity who = new Identity(backend, "lb1", AnsweredBy.BACKEND);
            answers.add(Vectors.sample(startUs, startUs + tookUs, null, true, null, "", who));
        }

        void request(long startUs, String balancer, FailureKind error) {
            Identity who = new Identity("", balancer, AnsweredBy.BALANCER);
            answers.add(Vectors.sample(startUs, startUs + 400, null, error == null, error, "", who));
        }

        Effect effect() {
            Run run = Run.named("r", "n").with(plan).with(fault);
            return new FaultEffect(
                            run.with(run.ending().truncated(cut)),
                            faulted,
                            outage,
                            Ownership.of(owners),
                            lives,
                            answers)
                    .effect();
        }

        WitnessCheck check(String name) {
            return effect().checks().stream()
                    .filter(one -> one.name().equals(name))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
