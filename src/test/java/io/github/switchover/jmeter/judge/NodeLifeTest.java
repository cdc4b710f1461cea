package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.PointParser;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeLifeTest {

    private static final long SECOND = 1_000_000;

    @Test
    void the_last_state_before_a_time_is_none_of_that_time() {
        NodeLife seen = life(0, 1, 2);
        assertThat(seen.lastBefore(SECOND)).isNull();
        assertThat(seen.lastBefore(SECOND + 1).atUs()).isEqualTo(SECOND);
        assertThat(seen.lastBefore(2 * SECOND).atUs()).isEqualTo(SECOND);
        assertThat(seen.lastBefore(9 * SECOND).atUs()).isEqualTo(2 * SECOND);
    }

    @Test
    void states_between_two_times_are_of_neither() {
        assertThat(life(0, 1, 2, 3, 4).between(new Span(SECOND, 4 * SECOND)))
                .extracting(BalancerState::atUs)
                .containsExactly(2 * SECOND, 3 * SECOND);
    }

    @ParameterizedTest
    @CsvSource({"0.1, 1000000", "0.3, 1000000", "0.4, 1200000", "2.0, 6000000"})
    void three_scrapes_without_an_answer_are_a_silence_and_a_second_at_least(double everyS, long limitUs) {
        NodeLife seen = life(0, 0, everyS, 2 * everyS, 3 * everyS, 4 * everyS);
        long lastUs = Math.round(4 * everyS * SECOND);
        assertThat(seen.isSilentAt(lastUs + limitUs, lastUs + 1)).isFalse();
        assertThat(seen.isSilentAt(lastUs + limitUs + 1, lastUs + 1)).isTrue();
    }

    @Test
    void the_usual_pause_is_the_median_of_those_before_the_fault() {
        NodeLife odd = life(0, 0, 2, 4, 14, 16, 16.1, 16.2, 16.3, 16.4);
        assertThat(odd.isSilentAt(22_400_000, 16 * SECOND + 1)).isFalse();
        assertThat(odd.isSilentAt(22_400_001, 16 * SECOND + 1)).isTrue();
        NodeLife even = life(0, 0, 1, 4, 5);
        assertThat(even.isSilentAt(8 * SECOND, 5 * SECOND)).isFalse();
        assertThat(even.isSilentAt(11 * SECOND, 5 * SECOND)).isFalse();
        assertThat(even.isSilentAt(11 * SECOND + 1, 5 * SECOND)).isTrue();
    }

    @Test
    void a_scrape_at_the_fault_itself_is_none_of_before_and_without_two_a_second_counts() {
        assertThat(life(0, 0, 1, 11).isSilentAt(14 * SECOND + 1, 11 * SECOND)).isTrue();
        assertThat(life(0, 5).isSilentAt(6 * SECOND + 1, 5 * SECOND)).isTrue();
        assertThat(life(0, 5).isSilentAt(6 * SECOND, 5 * SECOND)).isFalse();
        assertThat(life(0, 0, 3).isSilentAt(12 * SECOND, 4 * SECOND)).isFalse();
    }

    @Test
    void a_balancer_that_never_answered_is_silent() {
        assertThat(life(0).isSilentAt(SECOND, 0)).isTrue();
    }

    @Test
    void of_a_journal_that_ends_early_no_silence_is_told() {
        NodeLife seen = life(9, 0, 1, 2, 3, 4, 8);
        assertThat(seen.isSilentAt(30 * SECOND, 4 * SECOND)).isFalse();
        assertThat(seen.isAskedAt(12 * SECOND, 4 * SECOND)).isTrue();
        assertThat(seen.isAskedAt(12 * SECOND + 1, 4 * SECOND)).isFalse();
        assertThat(life(0, 0, 1, 2).isAskedAt(99 * SECOND, 2 * SECOND)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "6 9 12 15,   0,    false",
        "6 9.1 12 15, 0,    true",
        "8.1 11 14,   0,    true",
        "8 11 13.9,   0,    true",
        "8 11 14,     0,    false",
        "8 11 13.9,   16.9, false",
        "8 11 13.9,   17,   true"
    })
    void a_silence_between_two_times_is_one_from_the_first_up_to_the_last(
            String timesS, double askedS, boolean isSilent) {
        double[] all = Stream.of("0 1 2 3 4".split(" "), timesS.split(" "))
                .flatMap(Stream::of)
                .mapToDouble(Double::parseDouble)
                .toArray();
        assertThat(life(askedS, all).isSilentWithin(new Span(5 * SECOND, 17 * SECOND)))
                .isEqualTo(isSilent);
    }

    @Test
    void each_node_has_its_own_life_in_order_of_time() {
        Map<String, NodeLife> found = NodeLife.of(List.of(
                row("lb1", "2", "STOP", 9),
                row("lb1", "1", "OPEN", 5),
                row("lb2", "3", "OPEN", 4),
                new Point(Measurements.VRRP, Map.of("node", "lb3"), Map.of("state", FieldValue.of("MASTER")), 7000),
                asking("lb1", "haproxy", 0.0026, 20),
                asking("lb1", "haproxy", 0.001, 10),
                asking("lb2", "vip_owner", 1, 99)));
        assertThat(found).containsOnlyKeys("lb1", "lb2");
        assertThat(found.get("lb1").states())
                .extracting(BalancerState::generation)
                .containsExactly("1", "2");
        assertThat(found.get("lb1").node()).isEqualTo("lb1");
        assertThat(found.get("lb1").askedUs()).isEqualTo(23);
        assertThat(found.get("lb2").askedUs()).isZero();
    }

    private static Point row(String node, String generation, String status, long atUs) {
        return PointParser.parse(
                "switchover_haproxy,node=" + node + ",type=frontend,proxy=www,server=FRONTEND generation=\""
                        + generation + "\",status=\"" + status + "\" " + atUs * 1000);
    }

    private static Point asking(String node, String source, double tookMs, long atUs) {
        return new Point(
                Measurements.SCRAPE,
                Map.of("node", node, "source", source),
                Map.of("duration_ms", FieldValue.of(tookMs)),
                atUs * 1000);
    }

    /** {@code askedS}: when its last scrape was over; 0: not known. */
    private static NodeLife life(double askedS, double... timesS) {
        List<BalancerState> states = Arrays.stream(timesS)
                .mapToObj(atS -> new BalancerState(Math.round(atS * SECOND), "1", Map.of(), Map.of(), Map.of(), 0))
                .toList();
        return new NodeLife("lb1", states, Math.round(askedS * SECOND));
    }
}
