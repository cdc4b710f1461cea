package io.github.switchover.jmeter;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Identity.AnsweredBy;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.Labelled;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Sample.SampleAnswer;
import io.github.switchover.jmeter.core.Sample.SampleClient;
import io.github.switchover.jmeter.core.Sample.SampleRequest;
import io.github.switchover.jmeter.core.Sample.SampleTimes;
import io.github.switchover.jmeter.run.Lines.Ignored;
import io.github.switchover.jmeter.run.PointFormat.PointParser;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.verdict.RunData;
import io.github.switchover.jmeter.verdict.RunData.RunFiles;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Samples as the vectors write them down. */
public final class Vectors {

    /** Reasons that {@code switchover report} alone gives; where it does, the jar's short verdict is not green either. */
    public static final Set<String> CODES_OF_REPORT = Set.of(
            "still_broken",
            "no_effect",
            "healed_by_others",
            "unconfirmed",
            "logs_damaged",
            "log_not_recovered",
            "not_restored",
            "record_ends",
            "count_differs");

    /** The words of those reasons, and the word of many runs. */
    public static final Set<String> WORDS_OF_REPORT = Set.of("NO EFFECT", "UNCONFIRMED", "NOT RESTORED", "REFUTED");

    private static final Identity WEB1 = new Identity("web1", "lb1", AnsweredBy.BACKEND);

    private Vectors() {}

    /** A sample with every field. */
    public static Sample sample(Map<String, Object> values) {
        long users = values.containsKey("users") ? whole(values.get("users")) : 1;
        return new Sample(
                new SampleTimes(
                        whole(values.get("start_us")),
                        whole(values.get("end_us")),
                        (Long) values.get("intended_us"),
                        whole(values.get("connect_us")),
                        whole(values.get("latency_us"))),
                new SampleRequest(
                        text(values, "label"),
                        text(values, "url"),
                        whole(values.get("attempts")),
                        text(values, "stream"),
                        text(values, "session")),
                new SampleAnswer(
                        (Boolean) values.get("success"),
                        Labelled.of(FailureKind.values(), text(values, "error")),
                        text(values, "code"),
                        text(values, "message"),
                        text(values, "failure_message"),
                        whole(values.get("nbytes")),
                        whole(values.get("sent_bytes"))),
                new Identity(
                        text(values, "backend"),
                        text(values, "balancer"),
                        AnsweredBy.valueOf(text(values, "answered_by").toUpperCase(Locale.ROOT))),
                new SampleClient(text(values, "thread"), users, users));
    }

    /** A sample with what a test does not care about filled in; {@code intendedUs} null in a closed loop. */
    public static Sample sample(long startUs, long endUs, Long intendedUs, FailureKind error, String stream) {
        return sample(startUs, endUs, intendedUs, error == null, error, stream, error == null ? WEB1 : Identity.NONE);
    }

    public static Sample sample(
            long startUs,
            long endUs,
            Long intendedUs,
            boolean success,
            FailureKind error,
            String stream,
            Identity identity) {
        return new Sample(
                new SampleTimes(startUs, endUs, intendedUs, 0, endUs - startUs),
                new SampleRequest("probe", "http://198.18.0.50/", 1, stream, ""),
                new SampleAnswer(success, error, success ? "200" : "", "", "", 100, 50),
                identity,
                SampleClient.alone(""));
    }

    /**
     * Each entry stands for {@code count} probes, due every {@code every_us} from {@code due_us} on. Each is sent when
     * due, or all of them at {@code sent_us}; over {@code took_us} after that, or all of them at {@code end_us}.
     */
    public static List<Sample> series(Object entries) {
        return ((List<?>) entries)
                .stream().map(Contract::map).flatMap(Vectors::expand).toList();
    }

    private static Stream<Sample> expand(Map<String, Object> entry) {
        FailureKind error = switch ((String) entry.getOrDefault("result", "ok")) {
            case "failed" -> FailureKind.REFUSED;
            case "generator" -> FailureKind.GENERATOR;
            default -> null;
        };
        return LongStream.range(0, whole(entry.get("count"))).mapToObj(number -> {
            long dueUs = whole(entry.get("due_us")) + number * whole(entry.get("every_us"));
            long startUs = entry.containsKey("sent_us") ? whole(entry.get("sent_us")) : dueUs;
            long endUs =
                    entry.containsKey("end_us") ? whole(entry.get("end_us")) : startUs + whole(entry.get("took_us"));
            return sample(startUs, endUs, dueUs, error, "fresh");
        });
    }

    /** A run that left nothing behind. */
    public static RunData data(Run run) {
        return new RunData(run, List.of(), List.of(), List.of(), List.of(), RunFiles.WHOLE);
    }

    /** The run of a case of {@code verdicts.json}. */
    public static RunData run(Map<String, Object> vector) {
        Ignored unread = new Ignored();
        for (Object rows : Contract.map(vector.get("lost_rows")).values()) {
            LongStream.range(0, whole(rows)).forEach(n -> unread.add("wrong number of columns"));
        }
        List<List<?>> kinds = rows(vector.get("kinds"));
        return new RunData(
                RunFile.parse(Json.line(vector.get("run"))),
                requests(rows(vector.get("probes")), kinds),
                requests(rows(vector.get("samples")), kinds),
                texts(vector.get("points")).stream().map(PointParser::parse).toList(),
                List.of(unread),
                new RunFiles(texts(vector.get("missing")), Map.of(), List.of()));
    }

    /** Each is {@code [start, took, held, kind, times]}, times counted from the request before it. */
    private static List<Sample> requests(List<List<?>> rows, List<List<?>> kinds) {
        List<Sample> samples = new ArrayList<>();
        long startUs = 0;
        for (List<?> row : repeated(rows)) {
            startUs += whole(row.get(0));
            Long intendedUs = row.get(2) == null ? null : (Long) (startUs - whole(row.get(2)));
            List<?> kind = kinds.get(Math.toIntExact(whole(row.get(3))));
            Identity who = new Identity(
                    (String) kind.get(2),
                    (String) kind.get(3),
                    AnsweredBy.valueOf(((String) kind.get(4)).toUpperCase(Locale.ROOT)));
            samples.add(sample(
                    startUs,
                    startUs + whole(row.get(1)),
                    intendedUs,
                    (Boolean) kind.get(0),
                    Labelled.of(FailureKind.values(), (String) kind.get(1)),
                    (String) kind.get(5),
                    who));
        }
        return samples;
    }

    /** A row for each request; the last number of a row says how many such requests follow each other. */
    private static List<List<?>> repeated(List<List<?>> rows) {
        List<List<?>> all = new ArrayList<>();
        rows.forEach(row -> all.addAll(Collections.nCopies(Math.toIntExact(whole(row.get(4))), row)));
        return all;
    }

    private static List<List<?>> rows(Object value) {
        List<List<?>> rows = new ArrayList<>();
        ((List<?>) value).forEach(row -> rows.add((List<?>) row));
        return rows;
    }

    private static List<String> texts(Object value) {
        return ((List<?>) value).stream().map(String.class::cast).toList();
    }

    public static long whole(Object value) {
        return (Long) value;
    }

    private static String text(Map<String, Object> values, String key) {
        return (String) values.get(key);
    }
}
