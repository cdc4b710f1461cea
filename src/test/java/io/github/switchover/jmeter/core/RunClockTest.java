package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RunClockTest {

    private static final long SECOND_NS = 1_000_000_000;

    @Test
    void time_is_the_generations() {
        RunClock clock = RunClock.of(name -> null, "Linux");
        Instant now = Instant.now();
        long wallNs = now.getEpochSecond() * SECOND_NS + now.getNano();
        assertThat(clock.nowNs()).isBetween(wallNs - SECOND_NS, wallNs + 60 * SECOND_NS);
        assertThat(clock.nowUs()).isBetween(wallNs / 1000 - 1_000_000, wallNs / 1000 + 60_000_000);
        assertThat(clock.fromWallNs(wallNs)).isBetween(wallNs - SECOND_NS, wallNs + 60 * SECOND_NS);
        assertThat(clock.fromNanoTime(System.nanoTime())).isLessThanOrEqualTo(clock.nowNs());
    }

    @Test
    void a_child_shares_the_time_line() {
        assertThat(RunClock.of(Map.of(RunClock.ANCHOR_VARIABLE, "-42")::get, "Linux"))
                .isEqualTo(new RunClock(-42));
    }

    @Test
    void an_anchor_of_another_origin_or_of_no_number_is_not_used() {
        assertThat(RunClock.of(name -> "42", "Mac OS X").anchorNs()).isNotEqualTo(42);
        assertThat(RunClock.of(name -> "soon", "Linux").nowUs()).isPositive();
        assertThat(RunClock.of(name -> "9".repeat(19), "Linux").anchorNs()).isNotEqualTo(Long.MAX_VALUE);
    }

    /** So an anchor that Python took holds here. */
    @Test
    void nano_time_is_the_monotonic_clock_of_python() throws IOException, InterruptedException {
        long before = System.nanoTime();
        Process python = new ProcessBuilder("python3", "-c", "import time; print(time.monotonic_ns())").start();
        String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(python.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(Long.parseLong(said)).isBetween(before, System.nanoTime());
    }
}
