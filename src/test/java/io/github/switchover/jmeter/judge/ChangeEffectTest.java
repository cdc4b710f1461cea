package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.PointParser;
import io.github.switchover.jmeter.judge.ChangeEffect.SeenChange;
import io.github.switchover.jmeter.run.ChangeRun;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.FaultRun.FaultNodes;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ChangeEffectTest {

    @ParameterizedTest
    @MethodSource("effects")
    void points_say_of_changes_what_the_vectors_say(Map<String, Object> vector) {
        List<ChangeRun> made = ChangeTallyTest.changes(vector);
        List<Point> points = texts(vector, "points").map(PointParser::parse).toList();
        FaultRun described = FaultRun.of("change", FaultRun.MASTER, new FaultNodes("lb1", null, null, null))
                .withWitnesses(texts(vector, "witnesses").toList());
        List<SeenChange> found = new ChangeEffect(made, described, points).seen(Vectors.whole(vector.get("end_us")));
        assertThat(found.stream().map(SeenChange::seen)).containsExactlyElementsOf(seen(vector));
    }

    private static List<Boolean> seen(Map<String, Object> vector) {
        return ((List<?>) vector.get("seen")).stream().map(Boolean.class::cast).toList();
    }

    private static Stream<String> texts(Map<String, Object> vector, String key) {
        return ((List<?>) vector.get(key)).stream().map(String.class::cast);
    }

    static Stream<Named<Map<String, Object>>> effects() {
        return Contract.plain("changes.json", "effects");
    }
}
