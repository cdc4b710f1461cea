package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.run.OutageKind;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.RequestCounts;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PhasesTest {

    private static final long SECOND = 1_000_000;

    @ParameterizedTest
    @MethodSource("cases")
    void phases_are_as_the_vectors_say(Map<String, Object> vector) {
        List<?> times = (List<?>) vector.get("plan");
        PlanTimes plan = new PlanTimes(
                (Long) times.get(0),
                new PlanTimes.FaultTimes((Long) times.get(1), (Long) times.get(1), null),
                new PlanTimes.HealTimes((Long) times.get(2), null, null),
                (Long) times.get(3));
        Outage failback = plan.healFromUs() == null ? null : outage(vector.get("failback"));
        List<Phase> phases = Phases.of(plan, outage(vector.get("outage")), failback, null);
        PopulationTally tally = new PopulationTally(phases, SECOND);
        ((List<?>) vector.get("requests")).forEach(request -> tally.add(request((List<?>) request)));
        Population counted = tally.population(List.of(), false);
        List<List<?>> found = phases.stream()
                .<List<?>>map(
                        phase -> row(phase, counted.byPhase().get(phase.name().label())))
                .toList();
        assertThat(found).isEqualTo(vector.get("expect"));
    }

    @Test
    void unsent_requests_are_listed_and_count_nowhere_else() {
        PopulationTally tally = new PopulationTally(List.of(), SECOND);
        tally.add(Vectors.sample(10, 20, 10L, FailureKind.GENERATOR, "fresh"));
        tally.add(Vectors.sample(30, 40, 30L, FailureKind.REFUSED, "fresh"));
        tally.add(Vectors.sample(50, 60, 50L, null, "fresh"));
        RequestCounts counts = tally.population(List.of(), false).whole();
        assertThat(List.of(counts.total(), counts.failed(), counts.unsent())).containsExactly(2L, 1L, 1L);
        assertThat(counts.byKind()).isEqualTo(Map.of("refused", 1L));
        assertThat(counts.breakdown().byAnsweredBy()).isEqualTo(Map.of("backend", 1L, "none", 1L));
        assertThat(counts.breakdown().byStream()).isEqualTo(Map.of("fresh", new RequestCounts.StreamCounts(2, 1, 0)));
    }

    @Test
    void users_are_summed_over_workers_and_averaged_over_the_phase() {
        Phase phase = new Phase(PhaseName.BASELINE, 0, 10 * SECOND);
        List<Point> points = List.of(users("a", 1, 10), users("a", 2, 20), users("b", 1, 5), users("b", 11, 500));
        assertThat(Users.mean(points, phase)).isEqualTo(20.0);
        assertThat(Users.mean(List.of(), phase)).isNull();
    }

    @Test
    void users_are_those_from_the_first_moment_of_the_phase_up_to_the_next_phase() {
        Phase phase = new Phase(PhaseName.ON_BACKUP, SECOND, 2 * SECOND);
        assertThat(Users.mean(List.of(users("a", 1, 10), users("a", 2, 20)), phase))
                .isEqualTo(10.0);
        Point others = new Point(Measurements.MACHINE, Map.of(), Map.of("active", FieldValue.of(7)), 1_500_000_000);
        Point untold = new Point(Measurements.USERS, Map.of(), Map.of("started", FieldValue.of(7)), 1_500_000_000);
        assertThat(Users.mean(List.of(others, untold), phase)).isNull();
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
    void a_run_without_a_start_or_an_end_has_no_phases() {
        assertThat(Phases.of(PlanTimes.NOTHING.started(0), null, null, null)).isEmpty();
        assertThat(Phases.of(PlanTimes.NOTHING.ended(9), null, null, null)).isEmpty();
    }

    @Test
    void without_probes_the_switchover_lasts_until_the_heal_and_the_failback_until_the_end() {
        PlanTimes plan = PlanTimes.NOTHING.started(0).fired(5, 5).healing(7, 7).ended(9);
        assertThat(Phases.of(plan, null, null, null))
                .containsExactly(
                        new Phase(PhaseName.BASELINE, 0, 5),
                        new Phase(PhaseName.SWITCHOVER, 5, 7),
                        new Phase(PhaseName.ON_BACKUP, 7, 7),
                        new Phase(PhaseName.FAILBACK, 7, 9),
                        new Phase(PhaseName.RECOVERED, 9, 9));
    }

    @Test
    void a_run_that_is_on_is_in_the_phase_of_what_was_done_last() {
        PlanTimes plan = PlanTimes.NOTHING.started(0);
        assertThat(Phases.present(plan)).isEqualTo(PhaseName.BASELINE);
        assertThat(Phases.present(plan.fired(5, 5))).isEqualTo(PhaseName.SWITCHOVER);
        assertThat(Phases.present(plan.fired(5, 5).healing(7, 7))).isEqualTo(PhaseName.FAILBACK);
        assertThat(Phases.between(plan.fired(5, 5), (sinceUs, untilUs) -> 6L, (sinceUs, untilUs) -> null))
                .containsExactly(
                        new Phase(PhaseName.BASELINE, 0, 5),
                        new Phase(PhaseName.SWITCHOVER, 5, 6),
                        new Phase(PhaseName.ON_BACKUP, 6, Phases.PRESENT_US));
    }

    @Test
    void rates_of_a_load_are_over_the_part_of_a_phase_in_which_it_ran() {
        List<Phase> phases = List.of(
                new Phase(PhaseName.BASELINE, 0, 10 * SECOND),
                new Phase(PhaseName.SWITCHOVER, 10 * SECOND, 20 * SECOND));
        PopulationTally tally = new PopulationTally(phases, SECOND);
        for (long at = 6; at < 14; at++) {
            tally.add(Vectors.sample(at * SECOND, at * SECOND + SECOND, null, null, ""));
        }
        Population own = tally.population(List.of(), true);
        assertThat(own.byPhase().get("baseline").pace().rate()).isEqualTo(0.75);
        assertThat(own.byPhase().get("switchover").pace().rate()).isEqualTo(1.25);
        assertThat(own.whole().pace().rate()).isEqualTo(1.0);
        assertThat(tally.population(List.of(), false).whole().pace().rate()).isEqualTo(0.4);
        assertThat(new PopulationTally(phases, SECOND)
                        .population(List.of(), true)
                        .whole()
                        .pace()
                        .rate())
                .isZero();
        assertThat(new PopulationTally(List.of(), SECOND)
                        .population(List.of(), true)
                        .whole()
                        .pace()
                        .rate())
                .isNull();
    }

    @Test
    void a_held_up_client_shows_only_in_the_view_from_the_schedule() {
        PopulationTally tally = new PopulationTally(List.of(), 10 * SECOND);
        for (long at = 0; at < 2000; at++) {
            tally.add(Vectors.sample(2 * SECOND, 2 * SECOND + 300, at * 1000, null, "fresh"));
        }
        RequestCounts.LatencyFigures latency =
                tally.population(List.of(), false).whole().latencyMs();
        assertThat(latency.fromSend().max()).isEqualTo(0.3);
        assertThat(latency.fromSchedule().max()).isEqualTo(2000.3);
        assertThat(latency.fromSchedule().p50()).isEqualTo(1000.3);
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("phases.json", "cases");
    }

    private static Point users(String worker, long second, long active) {
        return new Point(
                Measurements.USERS,
                Map.of("worker", worker),
                Map.of("active", FieldValue.of(active)),
                second * 1_000_000_000);
    }

    private static Outage outage(Object value) {
        if (!(value instanceof List<?> known)) {
            return outage(OutageKind.NONE, false, List.of());
        }
        long toUs = Vectors.whole(known.get(0));
        Gap gap = new Gap(
                new Span(toUs - 1, toUs), new Span(toUs - 1, toUs - 1), new Gap.Impaired(1, 0, toUs), 0, 0, true);
        return outage(OutageKind.OUTAGE, (Boolean) known.get(1), List.of(gap));
    }

    private static Outage outage(OutageKind kind, boolean censored, List<Gap> gaps) {
        return new Outage(
                kind,
                new Outage.AwayTime(gaps.size(), 0, censored),
                gaps,
                List.of(),
                new Outage.Losses(null, null),
                new Span(0, 0));
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
