package io.github.switchover.jmeter.view.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.Traffic;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TrafficLinesTest {

    private static final Map<String, String> WEB1 =
            Map.of("backend", "web 1,=", "balancer", "lb1", "answered_by", "backend", "outcome", "ok", "label", "a b");

    private final SeriesNumbers series = new SeriesNumbers();
    private final TrafficLines lines = new TrafficLines(series);

    @Test
    void a_bucket_that_is_written_again_counts_once() {
        Traffic traffic = new Traffic("switchover_requests", "run", "w");
        traffic.add(5_100_000, 1000, 10, WEB1);
        traffic.add(5_200_000, 1000, 10, WEB1);
        List<String> first = traffic.flush(6_000_000);
        traffic.add(5_300_000, 1000, 10, WEB1);
        List<String> again = traffic.flush(7_000_000);
        assertThat(lines.read(first.get(0))).isEqualTo(new TrafficLines.Addition(5, 0, EndedCounts.OK, "", 2));
        assertThat(lines.read(first.get(0))).isNull();
        assertThat(lines.read(again.get(0))).isEqualTo(new TrafficLines.Addition(5, 0, EndedCounts.OK, "", 1));
        assertThat(series.listed()).containsExactly(new AnswerSource("lb1", "web 1,=", "backend"));
    }

    @Test
    void of_the_probes_only_those_on_fresh_connections_count() {
        assertThat(lines.read("switchover_probes,outcome=failed,error=refused,stream=fresh count=3i 7000000000"))
                .isEqualTo(new TrafficLines.Addition(7, null, EndedCounts.FAILED, "refused", 3));
        assertThat(lines.read("switchover_probes,outcome=ok,stream=kept count=3i 7000000000"))
                .isNull();
    }

    @Test
    void what_could_not_be_sent_says_nothing_of_the_balancer() {
        assertThat(lines.read("switchover_probes,outcome=unsent,error=generator,stream=fresh count=3i 7000000000"))
                .isNull();
        assertThat(lines.read("switchover_probes,outcome=failed,error=generator,stream=fresh count=3i 7000000000"))
                .isNull();
    }

    @Test
    void the_names_of_the_network_are_bounded() {
        Set<Integer> numbers = new HashSet<>();
        for (int n = 0; n < 3 * SeriesNumbers.LIMIT; n++) {
            TrafficLines.Addition added =
                    lines.read("switchover_requests,backend=b" + n + ",outcome=ok count=1i 1000000000");
            numbers.add(added.series());
        }
        assertThat(numbers).hasSize(SeriesNumbers.LIMIT);
        assertThat(series.listed()).hasSize(SeriesNumbers.LIMIT).endsWith(AnswerSource.OTHER);
    }

    @Test
    void nothing_that_stands_in_a_line_throws() {
        Random random = new Random(1);
        String alphabet = "switchover_requests,=\\ \"i0919countoutcome=ok";
        for (int n = 0; n < 20_000; n++) {
            StringBuilder line = new StringBuilder(random.nextBoolean() ? "switchover_requests,outcome=ok count=" : "");
            for (int length = random.nextInt(30); length > 0; length--) {
                line.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            TrafficLines.Addition added = lines.read(line.toString());
            assertThat(added == null || added.atS() >= 0).isTrue();
        }
    }
}
