package io.github.switchover.jmeter.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.verdict.Outage.Gap;
import io.github.switchover.jmeter.verdict.Phases.Phase;
import io.github.switchover.jmeter.verdict.Phases.Phase.PhaseName;
import io.github.switchover.jmeter.verdict.RequestTally.RequestCounts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

class PhasesTest {

    private static final long SECOND = 1_000_000;

    @ParameterizedTest
    @VectorSource(file = "phases.json", table = "cases")
    void phases_are_as_the_vectors_say(Map<String, Object> vector) {
        List<?> times = (List<?>) vector.get("plan");
        PlanTimes plan = new PlanTimes(Tree.of(
                "start_us", times.get(0),
                "fired_from_us", times.get(1),
                "heal_from_us", times.get(2),
                "end_us", times.get(3)));
        Outage failback = plan.healFromUs() == null ? null : outage(vector.get("failback"));
        List<Phase> phases = Phases.of(plan, outage(vector.get("outage")), failback, null);
        RequestTally tally = new RequestTally(phases, SECOND);
        ((List<?>) vector.get("requests")).forEach(request -> tally.add(request((List<?>) request)));
        List<List<?>> found = phases.stream()
                .<List<?>>map(phase -> row(phase, tally.in(phase.name())))
                .toList();
        assertThat(found).isEqualTo(vector.get("expect"));
    }

    @Test
    void the_baseline_begins_when_the_first_request_was_due_and_before_the_fault() {
        PlanTimes plan =
                PlanTimes.NOTHING.started(SECOND).fired(5 * SECOND, 5 * SECOND).ended(9 * SECOND);
        assertThat(Phases.of(plan, null, null, 2 * SECOND).get(0))
                .isEqualTo(new Phase(PhaseName.BASELINE, 2 * SECOND, 5 * SECOND));
        assertThat(Phases.of(plan, null, null, 0L).get(0).fromUs()).isEqualTo(SECOND);
        assertThat(Phases.of(plan, null, null, null).get(0).fromUs()).isEqualTo(SECOND);
        assertThat(Phases.of(plan, null, null, 6 * SECOND).get(0).fromUs()).isEqualTo(5 * SECOND);
    }

    @Test
    void a_run_that_is_on_is_in_the_phase_of_what_was_done_last() {
        PlanTimes plan = PlanTimes.NOTHING.started(0);
        assertThat(Phases.present(plan)).isEqualTo(PhaseName.BASELINE);
        assertThat(Phases.present(plan.fired(5, 5))).isEqualTo(PhaseName.SWITCHOVER);
        assertThat(Phases.present(plan.fired(5, 5).healing(7, 7))).isEqualTo(PhaseName.FAILBACK);
    }

    private static Outage outage(Object value) {
        if (!(value instanceof List<?> known)) {
            return outage(Outage.Kind.NONE, false, List.of());
        }
        long toUs = Vectors.whole(known.get(0));
        Gap gap = new Gap(
                new Span(toUs - 1, toUs), new Span(toUs - 1, toUs - 1), new Gap.Impaired(1, 0, toUs), 0, 0, true);
        return outage(Outage.Kind.OUTAGE, (Boolean) known.get(1), List.of(gap));
    }

    private static Outage outage(Outage.Kind kind, boolean censored, List<Gap> gaps) {
        return new Outage(kind, new Outage.AwayTime(gaps.size(), 0, censored), gaps, List.of(), null, new Span(0, 0));
    }

    private static Sample request(List<?> request) {
        FailureKind error = switch ((String) request.get(2)) {
            case "failed" -> FailureKind.RESET;
            case "generator" -> FailureKind.GENERATOR;
            default -> null;
        };
        return Vectors.sample(Vectors.whole(request.get(0)), Vectors.whole(request.get(1)), null, error, "");
    }

    private static List<?> row(Phase phase, RequestCounts counts) {
        return List.of(
                phase.name().label(), phase.fromUs(), phase.toUs(), counts.total(), counts.failed(), counts.late());
    }
}
