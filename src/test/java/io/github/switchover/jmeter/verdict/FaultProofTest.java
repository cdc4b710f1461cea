package io.github.switchover.jmeter.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.PointFormat.PointParser;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.telemetry.BalancerState;
import io.github.switchover.jmeter.verdict.Reasons.FaultProof;
import io.github.switchover.jmeter.verdict.RunData.RunFiles;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** JMeter alone confirms a fault at 5 s that hit lb1, and its heal at 20 s. The files explain the columns. */
class FaultProofTest {

    private static final long SECOND = 1_000_000;

    @ParameterizedTest
    @CsvFileSource(resources = "/verdict/confirmed.csv")
    void a_fault_is_confirmed_unless_one_of_its_sources_shows_no_effect(
            String sources, String kind, String states, double askedS, String effects, boolean isConfirmed) {
        FaultRun fault = fault(kind).with("sources", sources.isEmpty() ? List.of() : List.of(sources));
        Sample refused = Vectors.sample(6 * SECOND, 6 * SECOND, 6 * SECOND, FailureKind.REFUSED, "fresh");
        RunCourse course = course(fault, 40, effects.contains("impaired") ? List.of(refused) : List.of());
        Ownership owners = owners(effects.contains("moved") ? "lb1@1 lb2@7" : "lb1@1 lb2@21");
        assertThat(new FaultProof(course, owners, lives(states, askedS)).isConfirmed())
                .isEqualTo(isConfirmed);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/verdict/restored.csv")
    void a_target_is_restored_if_its_balancers_answer_as_before_and_one_node_has_the_address(
            String states, double askedS, String owners, Double returnsMs, long endS, boolean isRestored) {
        RunCourse course = course(fault("master").with("failback_settled_ms", returnsMs), endS, List.of());
        assertThat(new FaultProof(course, owners(owners), lives(states, askedS)).isRestored())
                .isEqualTo(isRestored);
    }

    @Test
    void a_balancer_was_asked_until_the_end_of_its_last_scrape() {
        Stream<String> points = Stream.of(
                "switchover_haproxy,node=lb1,proxy=www,server=FRONTEND,type=frontend status=\"OPEN\" 1000000000",
                "switchover_scrape,node=lb1,source=haproxy ok=false,duration_ms=12.5 3000000000",
                "switchover_scrape,node=lb1,source=haproxy ok=true 2000000000");
        assertThat(NodeLife.of(points.map(PointParser::parse).toList())
                        .get("lb1")
                        .askedUs())
                .isEqualTo(3_012_500);
    }

    private static FaultRun fault(String kind) {
        return FaultRun.of("mine", kind, new FaultRun.FaultNodes("lb1", "lb2", "lb1", null));
    }

    private static RunCourse course(FaultRun fault, long endS, List<Sample> probes) {
        PlanTimes plan = PlanTimes.NOTHING
                .started(0)
                .fired(5 * SECOND, 5 * SECOND)
                .healing(20 * SECOND, 20 * SECOND)
                .healed(20 * SECOND)
                .ended(endS * SECOND);
        List<Tree> nodes = Stream.of("lb1", "lb2")
                .map(name -> Tree.of("name", name, "role", "balancer"))
                .toList();
        Run run = Run.named("r", "n").with(plan).with(fault).with("target", Tree.of("nodes", nodes));
        return RunCourse.of(new RunData(run, probes, List.of(), List.of(), List.of(), RunFiles.WHOLE));
    }

    private static Ownership owners(String lines) {
        return Ownership.of(Stream.of(lines.split(" "))
                .map(line -> (line.contains("@") ? line : line + "@1").split("@"))
                .map(line -> PointParser.parse("switchover_vrrp,node=" + line[0] + " state=\""
                        + (lines.contains(line[0] + "@") ? "MASTER" : "BACKUP") + "\" " + line[1] + "000000000"))
                .toList());
    }

    private static Map<String, NodeLife> lives(String states, double askedS) {
        List<BalancerState> all = Stream.of(states.split(" "))
                .filter(state -> !state.isEmpty())
                .map(FaultProofTest::state)
                .toList();
        return all.isEmpty() ? Map.of() : Map.of("lb1", new NodeLife("lb1", all, Math.round(askedS * SECOND)));
    }

    private static BalancerState state(String text) {
        String letter = text.substring(text.length() - 1);
        long atUs = Math.round(Double.parseDouble(text.substring(0, text.length() - 1)) * SECOND);
        Map<String, String> frontends = Map.of("www", letter.equals("f") ? "STOP" : "OPEN");
        Map<String, String> servers = Map.of("be/web1", letter.equals("d") ? "DOWN" : "UP");
        return new BalancerState(atUs, letter, frontends, servers, Map.of(), 0);
    }
}
