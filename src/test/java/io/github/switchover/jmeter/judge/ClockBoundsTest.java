package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.NodeClock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClockBoundsTest {

    @Test
    void a_clock_is_known_to_the_wider_of_its_bounds_and_what_it_drifted() {
        List<NodeClock> clocks = List.of(
                clock("lb1", -40L, 100L), clock("lb1", 60L, 90L), clock("lb2", 500L, 30L), clock("lb2", 500L, 20L));
        assertThat(ClockBounds.of(clocks)).isEqualTo(Map.of("lb1", 200L, "lb2", 30L));
        assertThat(ClockBounds.between(List.of("lb1", "lb2"), clocks)).isEqualTo(400);
        assertThat(ClockBounds.between(List.of("lb2"), clocks)).isEqualTo(60);
    }

    @Test
    void of_a_clock_that_could_not_be_read_once_nothing_is_known() {
        List<NodeClock> clocks =
                List.of(clock("lb1", 0L, 10L), clock("lb2", 0L, 10L), clock("lb2", null, null), clock("lb3", 1L, null));
        assertThat(ClockBounds.of(clocks)).containsOnlyKeys("lb1");
        assertThat(ClockBounds.between(List.of("lb1", "lb2"), clocks)).isNull();
        assertThat(ClockBounds.between(List.of("lb9"), clocks)).isNull();
        assertThat(ClockBounds.between(List.of(), clocks)).isNull();
    }

    private static NodeClock clock(String node, Long offsetUs, Long boundUs) {
        return new NodeClock(node, NodeClock.BEFORE, offsetUs, boundUs, null);
    }
}
