package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.print.FigureText;
import io.github.switchover.jmeter.run.OutageKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OutageTest {

    private static final long SECOND = 1_000_000;

    @ParameterizedTest
    @MethodSource("outages")
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
        found.put("envelope_us", outage.envelopeUs());
        found.put("sum_of_gaps_us", outage.sumOfGapsUs());
        found.put("loss_derived_ms", outage.losses().derivedMs());
        found.put("impaired", outage.impaired());
        found.put("gap_count", (long) outage.gaps().size());
        found.put("gaps", rows(outage.gaps().stream().limit(3)));
        found.put("later_gaps", rows(outage.later_gaps().stream()));
        found.put("printed", FigureText.outage(Outage.figures(outage)));
        assertThat(found).isEqualTo(vector.get("expect"));
    }

    @ParameterizedTest
    @MethodSource("stretches")
    void the_limit_of_what_was_not_looked_at_is_as_the_vectors_say(Map<String, Object> vector) {
        Double limitUs =
                Unseen.limitUs(Vectors.whole(vector.get("seen_us")), (Double) vector.get("predicted_ms"), (Double)
                        vector.get("interval_us"));
        assertThat(limitUs).isEqualTo(((Number) vector.get("limit_us")).doubleValue());
    }

    @Test
    void many_gaps_are_measured_in_reasonable_time() {
        List<Probe> probes = new ArrayList<>();
        for (long at = 0; at < 40 * SECOND; at += 1000) {
            boolean bad = at >= 2 * SECOND && at / 1000 % 2 == 1;
            probes.add(new Probe(at, at + 300, at, bad ? Outcome.FAILED : Outcome.GOOD));
        }
        Outage outage = OutageMeter.measure(probes, new Span(2 * SECOND, 40 * SECOND), 2 * SECOND, 1000.0, true);
        assertThat(outage.kind()).isEqualTo(OutageKind.PARTIAL);
        assertThat(outage.gaps()).hasSize(19_000);
    }

    @Test
    void five_good_answers_in_a_row_close_it_and_four_do_not() {
        for (int number : new int[] {4, 5}) {
            List<Probe> probes = new ArrayList<>(List.of(good(0, 1), failed(10, 11)));
            for (int at = 0; at < number; at++) {
                probes.add(good(20 + at, 21 + at));
            }
            assertThat(outage(probes, 5, 1000, false).censored()).isEqualTo(number < 5);
        }
    }

    @Test
    void what_fails_once_five_seconds_were_clean_is_none_of_it() {
        for (long laterUs : new long[] {4_999_999, 5_000_000}) {
            List<Probe> probes = new ArrayList<>(List.of(good(0, 1), failed(10, 11)));
            addGood(probes, 20, 5);
            probes.add(failed(20 + laterUs, 21 + laterUs));
            addGood(probes, 6_000_000, 5);
            Outage outage = outage(probes, 5, 7_000_000, false);
            assertThat(outage.later_gaps()).hasSize(laterUs < 5_000_000 ? 0 : 1);
            assertThat(outage.toUs()).isEqualTo(laterUs < 5_000_000 ? 6_000_000 : 20);
        }
    }

    @Test
    void it_is_partial_where_no_gap_fills_half_of_it() {
        for (long backUs : new long[] {499, 500}) {
            List<Probe> probes = new ArrayList<>(
                    List.of(good(0, 0), failed(10, 10), good(backUs, backUs), good(900, 900), failed(950, 950)));
            addGood(probes, 1000, 5);
            Outage outage = outage(probes, 1, 2000, false);
            assertThat(outage.durationUs()).isEqualTo(1000);
            assertThat(outage.kind()).isEqualTo(backUs < 500 ? OutageKind.PARTIAL : OutageKind.OUTAGE);
        }
    }

    @Test
    void a_probe_belongs_to_a_fault_that_ended_with_it_or_later_and_began_before_the_next_event() {
        assertThat(outage(List.of(good(0, 1), failed(10, 20)), 20, 100, true).kind())
                .isEqualTo(OutageKind.OUTAGE);
        assertThat(outage(List.of(good(0, 1), failed(10, 19)), 20, 100, true).kind())
                .isEqualTo(OutageKind.NONE);
        assertThat(outage(List.of(good(0, 1), failed(98, 99)), 20, 100, true).kind())
                .isEqualTo(OutageKind.OUTAGE);
        assertThat(outage(List.of(good(0, 1), failed(98, 100)), 20, 100, true).kind())
                .isEqualTo(OutageKind.NONE);
        assertThat(outage(List.of(good(0, 1), failed(98, 100)), 20, 100, false).kind())
                .isEqualTo(OutageKind.OUTAGE);
        assertThat(outage(List.of(good(0, 1), failed(100, 101)), 20, 100, false).kind())
                .isEqualTo(OutageKind.OUTAGE);
    }

    @Test
    void good_answers_that_come_with_the_next_event_or_later_do_not_end_it() {
        List<Probe> probes = new ArrayList<>(List.of(good(0, 1), failed(10, 11), good(50, 100), good(60, 100)));
        assertThat(outage(probes, 5, 100, true).toUs()).isEqualTo(100);
        assertThat(outage(probes, 5, 100, true).censored()).isTrue();
        assertThat(outage(probes, 5, 101, true).gaps().get(0).closed()).isTrue();
        assertThat(outage(probes, 5, 100, true).gaps().get(0).closed()).isFalse();
    }

    @Test
    void it_may_have_ended_when_the_last_was_sent_that_waited_three_times_as_long_as_usual() {
        for (long sentUs : new long[] {969, 970}) {
            List<Probe> probes =
                    new ArrayList<>(List.of(good(0, 10), failed(100, 101), good(200, 1000), good(sentUs, 1001)));
            addGood(probes, 1010, 5);
            Outage outage = outage(probes, 50, 2000, false);
            assertThat(outage.durationUs()).isEqualTo(990);
            long earlyRightUs = 1000 - (sentUs < 970 ? sentUs : 200);
            assertThat(outage.length().low()).isEqualTo((double) (1000 - earlyRightUs - 101));
        }
    }

    @Test
    void it_may_have_begun_when_an_answer_would_usually_have_come_unless_that_was_overtaken() {
        for (long sentUs : new long[] {100, 101}) {
            List<Probe> probes =
                    new ArrayList<>(List.of(good(0, 10), good(95, 110), failed(sentUs, 150), failed(900, 950)));
            addGood(probes, 1000, 5);
            Outage outage = outage(probes, 50, 2000, false);
            assertThat(outage.fromUs()).isEqualTo(110);
            assertThat(outage.length().low()).isEqualTo(900 - (sentUs == 100 ? 150 : 111));
        }
    }

    @Test
    void an_outage_that_went_on_when_the_event_came_began_with_it() {
        List<Probe> probes = new ArrayList<>(List.of(good(0, 10), failed(20, 30), failed(50, 60)));
        addGood(probes, 100, 5);
        Outage outage = outage(probes, 40, 2000, false);
        assertThat(outage.fromUs()).isEqualTo(40);
        assertThat(outage.length().low()).isEqualTo(50 - 40);
        Outage before = outage(probes.subList(1, probes.size()), 70, 2000, false);
        assertThat(before.kind()).isEqualTo(OutageKind.NONE);
    }

    @Test
    void what_was_sent_at_the_next_event_is_none_of_it() {
        assertThat(outage(List.of(good(0, 1), failed(90, 95), failed(100, 110)), 5, 100, true)
                        .impaired())
                .isEqualTo(1);
    }

    @Test
    void an_answer_at_the_event_to_what_was_sent_later_proves_nothing_of_the_time_before() {
        List<Probe> probes = new ArrayList<>(List.of(failed(10, 50), good(15, 20)));
        addGood(probes, 60, 5);
        assertThat(outage(probes, 20, 2000, false).fromUs()).isEqualTo(10);
    }

    @Test
    void of_two_that_ended_at_once_before_the_event_the_one_that_was_sent_first_tells_whether_it_went_on() {
        List<Probe> probes = new ArrayList<>(List.of(good(0, 10), failed(5, 10), failed(30, 40)));
        addGood(probes, 60, 5);
        assertThat(outage(probes, 20, 2000, false).fromUs()).isEqualTo(10);
    }

    @Test
    void a_good_answer_at_the_event_ends_what_went_on_before() {
        List<Probe> probes = new ArrayList<>(List.of(failed(0, 5), good(6, 10), failed(20, 30), failed(50, 55)));
        addGood(probes, 60, 5);
        Outage outage = outage(probes, 10, 2000, false);
        assertThat(outage.fromUs()).isEqualTo(10);
        assertThat(outage.length().low()).isEqualTo(50 - 24);
    }

    @Test
    void an_answer_that_came_when_the_gap_had_ended_does_not_begin_it() {
        List<Probe> probes =
                new ArrayList<>(List.of(good(0, 10), good(50, 500), good(100, 110), failed(100, 120), good(200, 210)));
        addGood(probes, 600, 5);
        assertThat(outage(probes, 20, 2000, false).fromUs()).isEqualTo(10);
        List<Probe> atOnce =
                new ArrayList<>(List.of(good(0, 10), good(50, 210), good(60, 500), failed(100, 120), good(200, 210)));
        addGood(atOnce, 600, 5);
        assertThat(outage(atOnce, 20, 2000, false).fromUs()).isEqualTo(210);
        List<Probe> sentAtOnce =
                new ArrayList<>(List.of(good(0, 10), good(100, 210), failed(100, 220), good(200, 210)));
        addGood(sentAtOnce, 600, 5);
        assertThat(outage(sentAtOnce, 20, 2000, false).fromUs()).isEqualTo(210);
    }

    @Test
    void without_a_good_answer_before_it_it_began_with_the_event_or_with_the_first_that_failed() {
        List<Probe> probes = new ArrayList<>(List.of(failed(20, 60)));
        addGood(probes, 100, 5);
        assertThat(outage(probes, 40, 2000, false).fromUs()).isEqualTo(20);
        assertThat(outage(probes, 10, 2000, false).fromUs()).isEqualTo(10);
    }

    @Test
    void without_a_rate_there_is_no_loss_derived_figure() {
        Outage outage =
                OutageMeter.measure(List.of(new Probe(0, 10, 0, Outcome.FAILED)), new Span(0, 20), 0, null, false);
        assertThat(outage.losses().derivedMs()).isNull();
        assertThat(outage.firstImpairedUs()).isZero();
    }

    private static Outage outage(List<Probe> probes, long sinceUs, long horizonUs, boolean nextEvent) {
        return OutageMeter.measure(probes, new Span(sinceUs, horizonUs), sinceUs, null, nextEvent);
    }

    private static void addGood(List<Probe> probes, long fromUs, int number) {
        for (int at = 0; at < number; at++) {
            probes.add(good(fromUs + at, fromUs + at));
        }
    }

    private static Probe good(long startUs, long endUs) {
        return new Probe(startUs, endUs, startUs, Outcome.GOOD);
    }

    private static Probe failed(long startUs, long endUs) {
        return new Probe(startUs, endUs, startUs, Outcome.FAILED);
    }

    static Stream<Named<Map<String, Object>>> outages() {
        return Contract.plain("outage.json", "cases");
    }

    static Stream<Named<Map<String, Object>>> stretches() {
        return Contract.plain("unseen.json", "cases");
    }

    private static List<List<Long>> rows(Stream<Gap> gaps) {
        return gaps.map(gap -> Arrays.asList(gap.away().fromUs(), gap.away().toUs(), gap.failed(), gap.late()))
                .toList();
    }
}
