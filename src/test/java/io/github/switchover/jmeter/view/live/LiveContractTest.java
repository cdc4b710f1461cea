package io.github.switchover.jmeter.view.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Phase;
import io.github.switchover.jmeter.judge.Phases;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the window shows of a run while it goes on. */
class LiveContractTest {

    private static final String FILE = "live.json";
    private static final long START_S = (Long) Contract.file(FILE).get("start_s");

    @TempDir
    private Path folder;

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain(FILE, "cases");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void a_run_is_shown_as_the_vectors_say(Map<String, Object> vector) throws IOException {
        long nowS = START_S + (Long) vector.get("now_s");
        Files.writeString(folder.resolve(RunDirectory.RUN_FILE), Json.line(vector.get("run")));
        ObservedRun observed = new ObservedRun(folder);
        observed.describe(RunFile.read(folder));
        ((List<?>) vector.get("lines")).forEach(line -> read(observed, line, nowS));
        observed.settle(nowS);
        RunSnapshot snapshot = observed.snapshot(RunSnapshot.RunState.RUNNING, nowS * 1_000_000, null);
        Map<String, Object> expected = Contract.map(vector.get("shown"));
        Map<String, Object> shown = shown(snapshot, observed.moments());
        assertThat(shown.keySet()).containsExactlyInAnyOrderElementsOf(expected.keySet());
        expected.forEach((name, value) ->
                assertThat(Contract.values(shown.get(name))).as(name).isEqualTo(Contract.values(value)));
    }

    private static void read(ObservedRun observed, Object line, long nowS) {
        if (line instanceof String whole) {
            observed.read(whole, nowS);
            return;
        }
        List<?> repeated = (List<?>) line;
        for (long at = (Long) repeated.get(1); at < (Long) repeated.get(2); at++) {
            observed.read(repeated.get(0) + " " + (START_S + at) * 1_000_000_000L, nowS);
        }
    }

    private static Map<String, Object> shown(RunSnapshot snapshot, PlanTimes moments) {
        Map<String, Object> shown = new LinkedHashMap<>();
        Map<String, Object> times = new LinkedHashMap<>();
        times.put("start_us", moments.startUs());
        times.put("fired_us", moments.firedFromUs());
        times.put("heal_us", moments.healFromUs());
        times.put("end_us", moments.endUs());
        shown.put("moments", times);
        shown.put("phase", snapshot.phase());
        shown.put("phases", phases(snapshot, moments));
        shown.put("lost_ms", Headline.lostSoFarMs(snapshot));
        shown.put("holders", snapshot.address().holding());
        shown.put(
                "nodes",
                snapshot.address().nodes().stream()
                        .map(node -> row(node.node(), node.observed(), spans(node.holds())))
                        .toList());
        shown.put(
                "split_brain",
                snapshot.address().splitBrainMs() == null
                        ? null
                        : row(
                                snapshot.address().splitBrainMs(),
                                snapshot.address().splitPartial(),
                                spans(snapshot.address().splits())));
        shown.put(
                "marks",
                snapshot.noted().marks().stream()
                        .map(mark -> row(kind(mark), mark.atUs(), mark.provisional()))
                        .toList());
        shown.put("stretches", snapshot.traffic().stretches().size());
        shown.put(
                "timeline",
                snapshot.traffic().stretches().stream()
                        .limit(3)
                        .map(LiveContractTest::stretch)
                        .toList());
        shown.put("backends", shares(snapshot.traffic().backends()));
        shown.put("balancers", shares(snapshot.traffic().balancers()));
        shown.put("answered_by", snapshot.traffic().answeredBy());
        shown.put("events", snapshot.noted().events().size());
        shown.put(
                "last_events",
                snapshot.noted().events().stream()
                        .skip(Math.max(0, snapshot.noted().events().size() - 2))
                        .map(event -> row(event.atUs(), event.kind(), event.node(), event.text()))
                        .toList());
        return shown;
    }

    /** The window shows no times of the phases, but the marks and the counts depend on them. */
    private static List<List<Object>> phases(RunSnapshot snapshot, PlanTimes moments) {
        List<Phase> times =
                PhasesSoFar.of(snapshot.traffic().stretches(), moments).phases();
        List<List<Object>> rows = new ArrayList<>();
        for (int i = 0; i < times.size(); i++) {
            PhaseCounts counts = snapshot.traffic().phases().get(i);
            assertThat(counts.phase()).isEqualTo(times.get(i).name().label());
            rows.add(row(
                    counts.phase(),
                    times.get(i).fromUs() / Units.US_PER_S,
                    times.get(i).toUs() == Phases.PRESENT_US
                            ? null
                            : times.get(i).toUs() / Units.US_PER_S,
                    outcomes(counts.requests()),
                    outcomes(counts.probes())));
        }
        return rows;
    }

    private static List<Object> outcomes(RequestCounts counts) {
        return row(counts.total() - counts.failed() - counts.late(), counts.failed(), counts.late());
    }

    private static String kind(Mark mark) {
        return mark.kind() == Mark.MarkKind.BACK ? "return" : mark.kind().name().toLowerCase(Locale.ROOT);
    }

    private static List<Object> stretch(Stretch stretch) {
        List<Object> row = row(stretch.atS(), stretch.widthS());
        for (EndedCounts ended : List.of(stretch.requests(), stretch.probes())) {
            row.addAll(row(ended.ok(), ended.failed(), ended.late()));
        }
        return row;
    }

    private static List<List<Object>> shares(List<Share> shares) {
        return shares.stream()
                .map(share -> row(share.name(), share.count(), share.share(), share.recent(), share.expected()))
                .toList();
    }

    private static List<List<Object>> spans(List<Span> spans) {
        return spans.stream().map(span -> row(span.fromUs(), span.toUs())).toList();
    }

    /** With what is not known, for which a plain list has no place. */
    private static List<Object> row(Object... values) {
        return new ArrayList<>(Arrays.asList(values));
    }
}
