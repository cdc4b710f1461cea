package io.github.switchover.jmeter.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.Span;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

class SplitBrainTest {

    @ParameterizedTest
    @VectorSource(file = "split_brain.json", table = "cases")
    void split_brain_without_clocks_is_as_the_vectors_say_or_unknown(Map<String, Object> vector) {
        List<Point> points = ((List<?>) vector.get("lines"))
                .stream()
                        .map(line -> (List<?>) line)
                        .map(line -> vrrp(line.size() > 4 ? (String) line.get(4) : "VI_1", line))
                        .toList();
        List<String> balancers = ((List<?>) vector.get("balancers"))
                .stream().map(String.class::cast).toList();
        SplitBrain measured = SplitBrain.measure(
                Ownership.of(points),
                balancers,
                Vectors.whole(vector.get("since_us")),
                Vectors.whole(vector.get("until_us")));
        if (measured != null) {
            assertThat(measured.handovers()).allMatch(handover -> handover.lengthUs() > 0);
        }
        List<?> expected = (List<?>) vector.get("expect");
        Long boundUs = (Long) vector.get("bound_us");
        if (boundUs == null || boundUs == 0) {
            assertThat(measured == null ? null : List.of(measured.totalUs(), longestUs(measured.handovers())))
                    .isEqualTo(expected);
        } else if (measured != null && measured.isNone()) {
            assertThat(expected).isEqualTo(List.of(0L, longestUs(measured.handovers())));
        }
    }

    @Test
    void split_brain_is_unknown_if_a_balancer_reported_only_that_its_ownership_is_unknown() {
        List<Point> points = List.of(
                vrrp("VI_1", Arrays.asList(0L, "lb1", "MASTER", null)),
                vrrp("VI_1", Arrays.asList(0L, "lb2", null, null)));
        assertThat(SplitBrain.measure(Ownership.of(points), List.of("lb1", "lb2"), 0, 1_000_000))
                .isNull();
    }

    private static long longestUs(List<Span> spans) {
        return spans.stream().mapToLong(Span::lengthUs).max().orElse(0);
    }

    private static Point vrrp(String instance, List<?> line) {
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        fields.put("state", FieldValue.of(line.get(2) == null ? "" : (String) line.get(2)));
        if (line.get(3) != null) {
            fields.put("holds_vip", FieldValue.of((Boolean) line.get(3)));
        }
        return new Point(
                Measurements.VRRP,
                Map.of("node", (String) line.get(1), "instance", instance),
                fields,
                Vectors.whole(line.get(0)) * 1000);
    }
}
