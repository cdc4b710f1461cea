package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.run.ServerClocks.ClockReading;
import io.github.switchover.jmeter.run.ServerClocks.NodeClock;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClockOffsetTest {

    private static final RunClock CLOCK = RunClock.ofProcess();

    @Test
    void offset_lies_in_the_middle_of_what_the_round_trip_allows() {
        assertThat(ClockReading.between(2_000_000, 4_000_000)).isEqualTo(new ClockReading(3000, 1000));
        assertThat(ClockReading.between(-2_001, -1_000)).isEqualTo(new ClockReading(-2, 1));
    }

    @Test
    void clock_of_this_machine_is_ours_within_the_bound() {
        ClockReading offset = ClockOffset.measure(node(false, "date", "+%s.%N"), CLOCK);
        assertThat(Math.abs(offset.offsetUs())).isLessThanOrEqualTo(offset.boundUs() + 1000);
        assertThat(ClockOffset.measure(node(true), CLOCK)).isEqualTo(new ClockReading(0, 0));
        assertThat(ClockOffset.measure(node(false), CLOCK)).isNull();
    }

    @Test
    void clock_that_cannot_be_read_is_said_and_bounds_nothing() {
        assertThatThrownBy(() -> ClockOffset.measure(node(false, "echo", "noon"), CLOCK))
                .isInstanceOf(SourceException.class)
                .hasMessage("`echo …` printed 'noon\\n', not seconds.nanoseconds as `date +%s.%N` does");
        assertThat(ClockOffset.measureAll(List.of(node(true), node(false), node(false, "false")), CLOCK, "before"))
                .containsExactly(
                        new NodeClock("lb1", "before", 0L, 0L, null),
                        new NodeClock("lb1", "before", null, null, "`false`: exit status 1"));
    }

    private static Node node(boolean shared, String... command) {
        Source.Command clock = command.length == 0 ? null : new Source.Command(List.of(command));
        Node.NodeSources sources = new Node.NodeSources(null, null, List.of(), clock, shared);
        return new Node("lb1", Node.Role.BALANCER, null, null, sources, null, null);
    }
}
