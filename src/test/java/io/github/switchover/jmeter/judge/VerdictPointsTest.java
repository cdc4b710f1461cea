package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.judge.Verdict.Status;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import java.nio.file.Files;
import java.nio.file.Path;
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
        Tree verdict = Tree.of("verdict", vector.get("verdict")).child("verdict");
        assertThat(VerdictPoints.lines(run(vector), verdict)).isEqualTo(lines(vector));
    }

    @Test
    void a_new_verdict_replaces_the_old_one_and_is_to_be_sent_anew() throws Exception {
        Verdict verdict = new Verdict(Status.MEASURED, List.of(), List.of(), List.of(), Tree.EMPTY);
        Path journal = place.resolve("journal-verdict.lp");
        Path sent = place.resolve("journal-verdict.lp.sent");
        for (int time = 0; time < 2; time++) {
            Files.writeString(sent, "{}");
            VerdictPoints.write(place, Run.named("r", "n").with(PlanTimes.NOTHING.started(7)), verdict);
            assertThat(journal)
                    .hasContent("switchover_verdict,fault=none,generator=none,run=r"
                            + " verdict=\"MEASURED\",valid=true,exit_code=0i 7000");
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
        Run run = Run.named((String) vector.get("run"), "name")
                .with("target", vector.getOrDefault("target", Map.of()))
                .with("versions", vector.getOrDefault("versions", Map.of()))
                .setting("generator", vector.get("generator"))
                .with("plan", Tree.of("start_us", vector.get("start_us"), "end_us", vector.get("end_us")));
        if (vector.get("change") instanceof String change) {
            run = run.with("change", Tree.of("name", change));
        }
        return vector.get("fault") instanceof String fault ? run.with("fault", Tree.of("name", fault)) : run;
    }
}
