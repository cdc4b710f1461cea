package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.run.ServerClocks.ClockReading;
import io.github.switchover.jmeter.run.ServerClocks.NodeClock;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ServerClocksTest {

    private static final String SERVER = "one:1099";

    private final ServerClocks clocks = new ServerClocks();

    @Test
    void the_true_offset_lies_within_the_bound_whatever_the_way_takes() {
        Random random = new Random(4);
        for (int i = 0; i < 10_000; i++) {
            long trueNs = random.nextLong(-4_000_000_000L, 4_000_000_000L);
            long thereNs = random.nextLong(3_000_000);
            long backNs = random.nextLong(3_000_000);
            long sentNs = 1_000_000_000_000L + random.nextLong(1_000_000);
            ClockReading reading = ClockReading.of(sentNs, sentNs + thereNs - trueNs, sentNs + thereNs + backNs);
            assertThat(Math.abs(reading.offsetUs() * 1000 - trueNs)).isLessThanOrEqualTo(reading.boundUs() * 1000);
            assertThat(reading.boundUs()).isLessThanOrEqualTo((thereNs + backNs) / 2000 + 2);
        }
    }

    @Test
    void of_several_readings_the_narrowest_counts() {
        clocks.add(SERVER, false, new ClockReading(40, 900));
        clocks.add(SERVER, false, new ClockReading(55, 300));
        clocks.add(SERVER, false, new ClockReading(10, 400));
        assertThat(clocks.reading(SERVER)).isEqualTo(new ClockReading(55, 300));
    }

    @Test
    void an_offset_is_taken_off_unless_its_bound_says_that_it_may_be_none() {
        clocks.add("ahead", false, new ClockReading(2_000_300, 300));
        clocks.add("behind", false, new ClockReading(-301, 300));
        clocks.add("right", false, new ClockReading(300, 300));
        assertThat(clocks.correctionUs("ahead")).isEqualTo(-2_000_300);
        assertThat(clocks.correctionUs("behind")).isEqualTo(301);
        assertThat(clocks.correctionUs("right")).isZero();
        assertThat(clocks.correctionUs("unknown")).isNull();
    }

    @Test
    void what_is_left_of_it_is_told_before_and_after() {
        clocks.add(SERVER, false, new ClockReading(5000, 200));
        assertThat(clocks.areKnown(SERVER)).isFalse();
        assertThat(clocks.residuals()).containsExactly(facts("before", 0L, 200L), facts("after", null, null));
        clocks.add(SERVER, true, new ClockReading(5150, 250));
        assertThat(clocks.areKnown(SERVER)).isTrue();
        assertThat(clocks.residuals()).isEqualTo(List.of(facts("before", 0L, 200L), facts("after", 150L, 250L)));
    }

    private static NodeClock facts(String when, Long offsetUs, Long boundUs) {
        return new NodeClock(SERVER, when, offsetUs, boundUs, null);
    }
}
