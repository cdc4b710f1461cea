package io.github.switchover.jmeter.view.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.RunFolder;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.judge.Judge;
import io.github.switchover.jmeter.judge.RunLoader;
import io.github.switchover.jmeter.print.Summary;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.ServiceFigures;
import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.run.VerdictFile;
import io.github.switchover.jmeter.run.VerdictReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FinishedRunTest {

    private static final String HEADER = "timeStamp,elapsed,label,responseCode,success,\"backend\"\n";

    @TempDir
    private Path folder;

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("verdicts.json", "cases");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void an_opened_run_has_the_figures_of_its_verdict(Map<String, Object> vector) {
        RunFolder.write(folder, Vectors.run(vector));
        Verdict verdict = Judge.judge(RunLoader.load(folder));
        RunSnapshot snapshot = FinishedRun.read(folder, read -> true);
        assertThat(snapshot.state()).isEqualTo(RunSnapshot.RunState.JUDGED);
        assertThat(snapshot.verdict()).isEqualTo(verdict);
        assertThat(Headline.of(new ViewState(snapshot, null, null)).word().toUpperCase(Locale.ROOT))
                .isEqualTo(Summary.lines(Vectors.run(vector).run(), verdict, "in verdict.json")
                        .get(0)
                        .split(" {2}", 2)[0]);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void its_seconds_add_up_to_its_counts(Map<String, Object> vector) {
        RunFolder.write(folder, Vectors.run(vector));
        Verdict verdict = Judge.judge(RunLoader.load(folder));
        EndedCounts requests = FinishedRun.read(folder, read -> true).traffic().stretches().stream()
                .map(Stretch::requests)
                .reduce(EndedCounts.NONE, EndedCounts::plus);
        RequestCounts counts =
                verdict.samples() == null ? null : verdict.samples().whole();
        assertThat(requests.total()).isEqualTo(counts == null ? 0 : counts.total());
        assertThat(requests.failed()).isEqualTo(counts == null ? 0 : counts.failed());
        assertThat(requests.late()).isEqualTo(counts == null ? 0 : counts.late());
    }

    @Test
    void an_opened_run_with_a_file_that_was_cut_is_not_trusted() throws IOException {
        RunFolder.write(folder, Vectors.run(cases().findFirst().orElseThrow().getPayload()));
        Path journal = folder.resolve("journal.lp");
        List<String> lines = Files.readAllLines(journal);
        Files.write(journal, lines.subList(0, lines.size() - 1));
        Verdict verdict = FinishedRun.read(folder, read -> true).verdict();
        assertThat(verdict).isEqualTo(Judge.judge(RunLoader.load(folder)));
        assertThat(verdict.reasons()).extracting(VerdictReason::code).contains(ReasonCode.RECORD_ENDS);
    }

    @Test
    void what_only_the_report_computes_is_taken_from_its_verdict() throws IOException {
        RunFolder.write(folder, Vectors.run(cases().findFirst().orElseThrow().getPayload()));
        Map<String, Object> report = Contract.json(VerdictFile.text(Judge.judge(RunLoader.load(folder))));
        report.put("anatomy", List.of(Map.of("step", "kill", "after_kill_ms", 0.0, "bound_ms", 0.3, "witness", "it")));
        report.put("reconciliation", Map.of("exclusive", true, "equal", 9, "explained", 1, "unexplained", 0));
        report.put("trusted", false);
        Files.writeString(folder.resolve("verdict.json"), Json.file(report));
        Verdict verdict = FinishedRun.read(folder, read -> true).verdict();
        assertThat(verdict.service().anatomy())
                .containsExactly(new ServiceFigures.AnatomyStep("kill", null, 0.3, 0.0, "it", false));
        assertThat(verdict.requests().reconciliation().unexplained()).isZero();
        assertThat(verdict.judgement().trusted()).isTrue();
    }

    @Test
    void a_verdict_on_another_run_is_left_alone() throws IOException {
        RunFolder.write(folder, Vectors.run(cases().findFirst().orElseThrow().getPayload()));
        Files.writeString(
                folder.resolve("verdict.json"), "{\"run\": \"another\", \"reconciliation\": {\"exclusive\": true}}");
        assertThat(FinishedRun.read(folder, read -> true).verdict().requests().reconciliation())
                .isNull();
    }

    @Test
    void a_sample_log_of_anybody_shows_its_samples_and_no_more() throws IOException {
        Path log = folder.resolve("any.jtl");
        Files.writeString(
                log,
                HEADER + "1700000000000,100,a,200,true,web1\n1700000000500,700,a,200,true,web2\n"
                        + "1700000001000,1500,b,200,true,web1\n1700000002000,10,b,500,false,web1\nnonsense\n");
        RunSnapshot snapshot = FinishedRun.read(log, read -> true);
        assertThat(snapshot.state()).isEqualTo(RunSnapshot.RunState.SAMPLES);
        assertThat(snapshot.traffic().stretches())
                .extracting(Stretch::atS, Stretch::requests)
                .containsExactly(
                        tuple(1_700_000_000L, new EndedCounts(1, 0, 0)),
                        tuple(1_700_000_001L, new EndedCounts(1, 0, 0)),
                        tuple(1_700_000_002L, new EndedCounts(0, 1, 1)));
        assertThat(snapshot.traffic().backends())
                .extracting(Share::name, Share::count)
                .containsExactly(tuple("web1", 3L), tuple("web2", 1L));
        Headline headline = Headline.of(new ViewState(snapshot, null, null));
        assertThat(headline.word()).isEqualTo("samples");
        assertThat(headline.says().get(0)).isEqualTo("4 requests, 1 failed, 1 late");
        assertThat(headline.lines()).containsExactly("1 warning");
        assertThat(snapshot.verdict().warnings())
                .containsExactly("1 lines could not be read: {wrong number of columns=1}");
        assertThat(ShownFigures.of(snapshot)).noneMatch(line -> line.name().equals("outage"));
    }

    @Test
    void what_is_no_run_and_no_sample_log_is_refused_in_one_line() throws IOException {
        Path xml = Files.writeString(folder.resolve("x.jtl"), "<?xml version=\"1.0\"?>\n<testResults/>\n");
        Path empty = Files.writeString(folder.resolve("empty.jtl"), HEADER);
        assertThatThrownBy(() -> FinishedRun.read(xml, read -> true))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessageContaining("is no sample log")
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> FinishedRun.read(empty, read -> true))
                .hasMessage(empty + " has no sample that could be read");
        assertThatThrownBy(() -> FinishedRun.read(folder.resolve("gone.jtl"), read -> true))
                .hasMessageContaining("gone.jtl: No such file or directory");
        assertThatThrownBy(() -> FinishedRun.read(folder, read -> true))
                .hasMessage(folder + " is no run directory: it has no run.json");
    }

    @Test
    void a_file_of_a_run_directory_stands_for_it() throws IOException {
        RunFolder.write(folder, Vectors.run(cases().findFirst().orElseThrow().getPayload()));
        Path other = Files.writeString(folder.resolve("mine.jtl"), HEADER);
        assertThat(FinishedRun.directory(folder.resolve("run.json"))).isEqualTo(folder);
        assertThat(FinishedRun.directory(folder.resolve("samples.jtl"))).isEqualTo(folder);
        assertThat(FinishedRun.directory(folder.resolve("probes.jtl"))).isEqualTo(folder);
        assertThat(FinishedRun.directory(other)).isNull();
    }

    @Test
    void reading_ends_when_nobody_wants_it_any_more() {
        RunFolder.write(folder, Vectors.run(cases().findFirst().orElseThrow().getPayload()));
        assertThatThrownBy(() -> FinishedRun.read(folder, read -> false)).isInstanceOf(CancellationException.class);
    }
}
