package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.judge.Outage.AwayTime;
import io.github.switchover.jmeter.judge.Outage.Losses;
import io.github.switchover.jmeter.run.OutageKind;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Gaps by themselves, and the figures of an outage that is made of them. */
class GapTest {

    @Test
    void series_that_no_answer_parts_are_one_gap() {
        Span away = new Span(100, 900);
        Gap earlier = new Gap(away, new Span(150, 300), new Gap.Impaired(2, 1, 400), 30, 7, true);
        Gap later = new Gap(away, new Span(500, 700), new Gap.Impaired(3, 4, 350), 40, 5, true);
        assertThat(later.coversTheTimeOf(earlier)).isTrue();
        assertThat(later.joinedTo(earlier))
                .isEqualTo(new Gap(away, new Span(150, 700), new Gap.Impaired(5, 5, 350), 30, 5, true));
        assertThat(earlier.joinedTo(later).earlyLeftUs()).isEqualTo(30);
    }

    @Test
    void gaps_of_another_time_or_of_which_one_did_not_end_are_two() {
        Gap gap = gap(100, 900);
        assertThat(gap.coversTheTimeOf(gap(100, 901))).isFalse();
        assertThat(gap.coversTheTimeOf(open(100, 900, 0, 0))).isFalse();
    }

    @Test
    void a_gap_may_be_the_cost_of_its_neighbour_where_nothing_shows_that_it_was_its_own() {
        Gap serviceAway = gap(100, 900);
        assertThat(known(101).mayBeTheCostOfNext(serviceAway)).isTrue();
        assertThat(known(100).mayBeTheCostOfNext(serviceAway)).isFalse();
        assertThat(sentUntil(899).mayBeTheCostOfEarlier(serviceAway)).isTrue();
        assertThat(sentUntil(900).mayBeTheCostOfEarlier(serviceAway)).isFalse();
    }

    @Test
    void what_did_not_end_has_no_upper_end_and_no_length_is_below_0() {
        assertThat(open(100, 900, 10, 20).length()).isEqualTo(new Interval(770, null));
        assertThat(new Gap(new Span(100, 110), new Span(100, 100), new Gap.Impaired(1, 0, 100), 10, 20, true).length())
                .isEqualTo(new Interval(0, 10.0));
    }

    @Test
    void the_figures_of_an_outage_count_its_later_gaps_where_they_say_so() {
        Gap first = new Gap(new Span(100, 400), new Span(101, 400), new Gap.Impaired(3, 2, 100), 0, 7, true);
        Gap last = new Gap(new Span(500, 900), new Span(501, 900), new Gap.Impaired(4, 0, 500), 0, 9, true);
        Gap later_gap = new Gap(new Span(2000, 2100), new Span(2000, 2000), new Gap.Impaired(0, 5, 2000), 0, 0, true);
        Outage outage = outage(false, List.of(first, last), List.of(later_gap, gap(2010, 2050)));
        assertThat(List.of(outage.fromUs(), outage.toUs(), outage.firstImpairedUs()))
                .containsExactly(100L, 900L, 101L);
        assertThat(outage.impaired()).isEqualTo(3 + 2 + 4 + 5 + 1);
        assertThat(outage.envelopeUs()).isEqualTo(2000);
        assertThat(outage.sumOfGapsUs()).isEqualTo(300 + 400 + 100 + 40);
        assertThat(outage.longestLaterGapUs()).isEqualTo(100);
        assertThat(outage.edges()).containsExactly(new Span(100, 101), new Span(891, 900));
        assertThat(outage.recovered()).isTrue();
    }

    @Test
    void what_has_no_end_has_no_second_edge_and_a_later_gap_without_one_is_no_recovery() {
        Gap away = new Gap(new Span(100, 900), new Span(90, 900), new Gap.Impaired(1, 0, 100), 10, 20, false);
        Outage censored = outage(true, List.of(away), List.of());
        assertThat(censored.edges()).containsExactly(new Span(90, 100));
        assertThat(censored.recovered()).isFalse();
        assertThat(censored.length().high()).isNull();
        assertThat(outage(false, List.of(gap(0, 9)), List.of(open(20, 30, 0, 0)))
                        .recovered())
                .isFalse();
    }

    @Test
    void without_an_impaired_probe_there_is_neither_a_begin_nor_an_end() {
        Outage none = outage(false, List.of(), List.of());
        assertThat(none.fromUs()).isNull();
        assertThat(none.toUs()).isNull();
        assertThat(none.firstImpairedUs()).isNull();
        assertThat(none.edges()).isEmpty();
        assertThat(none.envelopeUs()).isZero();
    }

    @Test
    void of_many_gaps_two_hundred_are_listed_and_all_are_counted() {
        List<Gap> gaps = LongStream.range(0, 201)
                .mapToObj(at -> gap(at * 10, at * 10 + 1))
                .toList();
        var listed = Outage.figures(outage(false, gaps, List.of())).lists();
        assertThat(listed.gaps()).hasSize(200);
        assertThat(listed.gapCount()).isEqualTo(201);
    }

    private static Outage outage(boolean censored, List<Gap> gaps, List<Gap> later_gaps) {
        return new Outage(
                OutageKind.OUTAGE,
                new AwayTime(800, 0, censored),
                gaps,
                later_gaps,
                new Losses(null, null),
                new Span(0, 0));
    }

    private static Gap known(long knownFromUs) {
        return new Gap(new Span(0, 100), new Span(1, 50), new Gap.Impaired(1, 0, knownFromUs), 0, 0, true);
    }

    private static Gap sentUntil(long lastUs) {
        return new Gap(new Span(900, 990), new Span(890, lastUs), new Gap.Impaired(1, 0, 990), 0, 0, true);
    }

    private static Gap gap(long fromUs, long toUs) {
        return new Gap(new Span(fromUs, toUs), new Span(fromUs + 1, toUs), new Gap.Impaired(1, 0, fromUs), 0, 0, true);
    }

    private static Gap open(long fromUs, long toUs, long earlyLeftUs, long earlyRightUs) {
        return new Gap(
                new Span(fromUs, toUs),
                new Span(fromUs + 1, toUs),
                new Gap.Impaired(1, 0, fromUs),
                earlyLeftUs,
                earlyRightUs,
                false);
    }
}
