package io.github.switchover.jmeter.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.run.RunSettings;
import io.github.switchover.jmeter.run.Verdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class VerdictPointsTest {

    @TempDir
    Path place;

    @ParameterizedTest
    @MethodSource("cases")
    void a_verdict_becomes_the_points_that_were_agreed(Map<String, Object> vector) {
        assertThat(VerdictPoints.lines(run(vector), verdict(vector))).isEqualTo(lines(vector));
    }

    @Test
    void a_new_verdict_replaces_the_old_one_and_is_to_be_sent_anew() throws Exception {
        Map<String, Object> vector = cases().findFirst().orElseThrow().getPayload();
        Path journal = place.resolve("journal-verdict.lp");
        Path sent = place.resolve("journal-verdict.lp.sent");
        for (int time = 0; time < 2; time++) {
            Files.writeString(sent, "{}");
            VerdictPoints.write(place, run(vector), verdict(vector));
            assertThat(Files.readAllLines(journal)).isEqualTo(lines(vector));
            assertThat(sent).doesNotExist();
        }
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("verdict_points.json", "cases");
    }

    /** Without what {@code switchover report} alone writes. */
    private static List<String> lines(Map<String, Object> vector) {
        return ((List<?>) vector.get("lines"))
                .stream()
                        .map(line -> ((String) line).replaceAll(",(predicted_\\w+|unaccounted)=[^, ]*", ""))
                        .toList();
    }

    private static Run run(Map<String, Object> vector) {
        PlanTimes started = new PlanTimes(
                (Long) vector.get("start_us"),
                new PlanTimes.FaultTimes(null, null, null),
                new PlanTimes.HealTimes(null, null, null),
                (Long) vector.get("end_us"));
        Run run = described(vector)
                .with(started)
                .with(RunSettings.unprobed().with((String) vector.get("generator"), null));
        if (vector.get("fault") instanceof String fault) {
            return run.with(
                    FaultRun.of(fault, FaultRun.MASTER, new FaultRun.FaultNodes("lb1", "lb2", "lb1", "header")));
        }
        return run;
    }

    /** By its run.json, which has the target, the versions and the change where the vector has them. */
    private static Run described(Map<String, Object> vector) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", vector.get("run"));
        json.put("name", "name");
        json.put("plan", Map.of());
        json.put("target", vector.getOrDefault("target", Map.of()));
        json.put("versions", vector.getOrDefault("versions", Map.of()));
        if (vector.get("change") instanceof String change) {
            json.put("change", Map.of("name", change, "kind", "change"));
        }
        return RunFile.parse(Json.line(json));
    }

    private static Verdict verdict(Map<String, Object> vector) {
        return Json.read(Json.line(vector.get("verdict")), Verdict.class);
    }
}
