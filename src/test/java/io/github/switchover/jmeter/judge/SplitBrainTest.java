package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Span;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SplitBrainTest {

    @ParameterizedTest
    @MethodSource("cases")
    void split_brain_is_as_the_vectors_say(Map<String, Object> vector) {
        List<Point> points = ((List<?>) vector.get("lines"))
                .stream()
                        .map(line -> (List<?>) line)
                        .map(line -> vrrp(line.size() > 4 ? (String) line.get(4) : "VI_1", line))
                        .toList();
        List<String> balancers = ((List<?>) vector.get("balancers"))
                .stream().map(String.class::cast).toList();
        SplitBrain found = SplitBrain.measure(
                Ownership.of(points),
                balancers,
                Vectors.whole(vector.get("since_us")),
                Vectors.whole(vector.get("until_us")),
                (Long) vector.get("bound_us"));
        assertThat(
                        found == null
                                ? null
                                : List.of(
                                        found.totalUs(),
                                        found.handovers().stream()
                                                .mapToLong(Span::lengthUs)
                                                .max()
                                                .orElse(0)))
                .isEqualTo(vector.get("expect"));
        if (vector.get("length_us") instanceof List<?> ends) {
            assertThat(found.length())
                    .isEqualTo(new Interval(
                            Vectors.whole(ends.get(0)),
                            ends.get(1) == null ? null : (Double) (double) Vectors.whole(ends.get(1))));
        }
    }

    @Test
    void a_node_holds_an_address_from_the_line_on_that_tells_so() {
        Ownership ownership = Ownership.of(List.of(
                vrrp("VI_1", Arrays.asList(0L, "lb1", null, true)),
                vrrp("VI_2", Arrays.asList(0L, "lb2", null, true))));
        assertThat(ownership.holdsAt("lb1", 0)).isTrue();
        assertThat(ownership.holdsAt("lb1", -1)).isFalse();
        assertThat(ownership.holdsAt("lb3", 0)).isFalse();
    }

    @Test
    void of_an_instance_a_balancer_is_none_that_never_told_whether_it_holds_the_address() {
        Ownership ownership = Ownership.of(List.of(
                vrrp("VI_1", Arrays.asList(0L, "lb1", null, true)),
                vrrp("VI_1", Arrays.asList(0L, "lb2", null, false)),
                vrrp("VI_2", Arrays.asList(500_000L, "lb1", null, true)),
                vrrp("VI_2", Arrays.asList(600_000L, "lb2", null, null))));
        SplitBrain found = SplitBrain.measure(ownership, List.of("lb1", "lb2"), 0, 1_000_000, 0L);
        assertThat(found).isEqualTo(new SplitBrain(List.of(), List.of(), 0L));
    }

    @Test
    void an_address_that_is_given_and_taken_in_one_moment_is_with_one_alone() {
        Ownership ownership = Ownership.of(List.of(
                vrrp("VI_1", Arrays.asList(0L, "lb1", null, false)),
                vrrp("VI_1", Arrays.asList(0L, "lb2", null, true)),
                vrrp("VI_1", Arrays.asList(500_000L, "lb1", null, true)),
                vrrp("VI_1", Arrays.asList(500_000L, "lb2", null, false))));
        SplitBrain found = SplitBrain.measure(ownership, List.of("lb1", "lb2"), 0, 1_000_000, 0L);
        assertThat(found).isEqualTo(new SplitBrain(List.of(), List.of(), 0L));
    }

    @Test
    void a_balancer_whose_source_told_nothing_of_the_address_has_none() {
        assertThat(Ownership.of(List.of(vrrp("VI_1", Arrays.asList(0L, "lb1", null, null))))
                        .nodes())
                .isEmpty();
        assertThat(Ownership.of(List.of(vrrp("VI_1", Arrays.asList(0L, "lb1", "BACKUP", null))))
                        .nodes())
                .containsExactly("lb1");
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("split_brain.json", "cases");
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
