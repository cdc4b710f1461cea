package io.github.switchover.jmeter.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.verdict.GapFinder.ProvedAlive;
import io.github.switchover.jmeter.verdict.Outage.Gap;
import io.github.switchover.jmeter.verdict.OutageMeter.Unseen;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutageTest {

    private static final long SECOND = 1_000_000;

    @ParameterizedTest
    @VectorSource(file = "outage.json", table = "cases")
    void outage_is_as_the_vectors_say(Map<String, Object> vector) {
        long sinceUs = Vectors.whole(vector.get("since_us"));
        Outage outage = OutageMeter.measure(
                Probe.fresh(Vectors.series(vector.get("series")), Vectors.whole(vector.get("late_us"))),
                new Span(sinceUs, Vectors.whole(vector.get("horizon_us"))),
                sinceUs,
                vector.get("rate") == null ? null : (Double) ((Number) vector.get("rate")).doubleValue(),
                (Boolean) vector.get("next_event"));
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("kind", outage.kind().name().toLowerCase(Locale.ROOT));
        found.put("duration_us", outage.durationUs());
        found.put("early_us", outage.earlyUs());
        found.put("low_us", (long) outage.length().low());
        found.put(
                "high_us",
                outage.length().high() == null
                        ? null
                        : (Long) outage.length().high().longValue());
        found.put("detection_limit_us", outage.detectionLimitUs());
        found.put("censored", outage.censored());
        found.put("from_us", outage.fromUs());
        found.put("to_us", outage.toUs());
        found.put("loss_derived_ms", outage.lossDerivedMs());
        found.put("impaired", outage.impaired());
        found.put("gap_count", (long) outage.gaps().size());
        found.put("gaps", rows(outage.gaps().stream().limit(3)));
        found.put("later_gaps", rows(outage.laterGaps().stream()));
        found.put("printed", Summary.length(outage.tree()));
        Map<String, Object> expected = Contract.map(vector.get("expect"));
        expected.keySet().removeAll(List.of("envelope_us", "sum_of_gaps_us"));
        assertThat(found).isEqualTo(expected);
    }

    @ParameterizedTest
    @VectorSource(file = "unseen.json", table = "cases")
    void the_limit_of_what_was_not_looked_at_is_as_the_vectors_say(Map<String, Object> vector) {
        Double limitUs = Unseen.limitUs(Vectors.whole(vector.get("seen_us")), (Double) vector.get("interval_us"));
        assertThat(limitUs).isEqualTo(((Number) vector.get("limit_us")).doubleValue());
    }

    @Test
    void of_two_equal_times_without_a_probe_the_first_is_reported_and_none_after_the_end() {
        List<Probe> probes = new ArrayList<>();
        for (long at = 0; at <= SECOND; at += 1000) {
            probes.add(new Probe(at, at + 300, at, Outcome.GOOD));
        }
        List<Span> away = List.of(new Span(3 * SECOND, 7 * SECOND));
        assertThat(Unseen.longest(probes, 0, 9 * SECOND, away)).isEqualTo(new Span(SECOND, 3 * SECOND));
        Span late = OutageMeter.measure(probes, new Span(0, SECOND), 2 * SECOND, 1000.0, false)
                .unseen();
        assertThat(late).isEqualTo(new Span(2 * SECOND, 2 * SECOND));
    }

    /** Up to 1 ms late is on time. A failed probe proves nothing. */
    @ParameterizedTest
    @CsvSource({
        "4500, 3500, 5000",
        "4500, 3499, 0",
        "4000, 2000, 0",
        "3999, 2000, 5000",
        "6000, 4000, 5000",
        "6000, 3999, 0"
    })
    void an_answer_that_a_held_up_prober_read_proves_only_the_time_of_its_probe(
            long nextStartUs, long nextDueUs, long provedUs) {
        List<Probe> probes = List.of(
                new Probe(0, 5000, 0, Outcome.GOOD),
                new Probe(100, 1000, 100, Outcome.FAILED),
                new Probe(nextStartUs, 9000, nextDueUs, Outcome.GOOD));
        assertThat(new ProvedAlive(probes).by(5000)).isEqualTo(provedUs);
    }

    @Test
    void many_gaps_are_measured_in_reasonable_time() {
        List<Probe> probes = new ArrayList<>();
        for (long at = 0; at < 40 * SECOND; at += 1000) {
            boolean bad = at >= 2 * SECOND && at / 1000 % 2 == 1;
            probes.add(new Probe(at, at + 300, at, bad ? Outcome.FAILED : Outcome.GOOD));
        }
        Outage outage = OutageMeter.measure(probes, new Span(2 * SECOND, 40 * SECOND), 2 * SECOND, 1000.0, true);
        assertThat(outage.kind()).isEqualTo(Outage.Kind.PARTIAL);
        assertThat(outage.gaps()).hasSize(19_000);
    }

    private static List<List<Long>> rows(Stream<Gap> gaps) {
        return gaps.map(gap -> Arrays.asList(gap.away().fromUs(), gap.away().toUs(), gap.failed(), gap.late()))
                .toList();
    }
}
