package io.github.switchover.jmeter.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.RunFolder;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.PointFormat.PointParser;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.SampleWriter;
import io.github.switchover.jmeter.verdict.RunData.RunFiles;
import io.github.switchover.jmeter.verdict.Verdict.VerdictReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a run directory, and what of it is held against what the run says. */
class RunLoaderTest {

    private static final Run RUN =
            Run.named("r", "n").with(PlanTimes.NOTHING.started(0).ended(9_000_000));

    @TempDir
    private Path folder;

    @Test
    void of_the_points_those_are_kept_that_the_figures_look_at() {
        List<String> kept = List.of(
                "switchover_scrape,node=lb1,source=haproxy ok=true 1000",
                "switchover_vrrp,instance=VI_1,node=lb1 state=\"MASTER\" 2000",
                "switchover_event,kind=warning text=\"odd\" 6000");
        List<String> others = List.of(
                "switchover_scrape,node=lb1,source=vip_owner ok=true 1000",
                "switchover_advert,node=lb1 priority=100i 3000",
                "switchover_machine,node=client,processor=all stolen_ms=0.000 5000",
                "switchover_event,id=a,kind=certificate text=\"\" 7000",
                "switchover_event,kind=heal text=\"healed\" 8000",
                "switchover_event,kind=fault text=\"killed\" 6000",
                "switchover_probes,outcome=good count=0i 7000");
        RunFolder.write(
                folder, data(Stream.concat(kept.stream(), others.stream()).toList(), 0));
        assertThat(RunLoader.load(folder).points())
                .containsExactlyElementsOf(kept.stream().map(PointParser::parse).toList());
    }

    @Test
    void a_file_is_used_if_it_matches_its_checksum_and_a_file_without_one_needs_the_report() throws IOException {
        RunFolder.write(folder, data(List.of("switchover_vrrp,node=lb1 state=\"MASTER\" 2000"), 3));
        assertThat(RunLoader.load(folder).files()).isEqualTo(RunFiles.WHOLE);
        Files.writeString(folder.resolve("probes.jtl"), "half a row", StandardOpenOption.APPEND);
        Files.writeString(folder.resolve("journal.lp"), "no point\n", StandardOpenOption.APPEND);
        Files.writeString(folder.resolve("journal-x.lp"), "");
        RunFiles files = RunLoader.load(folder).files();
        assertThat(files.damaged())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "journal.lp", "has a line that is not a complete point",
                        "probes.jtl", "does not match its checksum in run.json"));
        assertThat(files.unsealed()).containsExactly("journal-x.lp");
        assertThat(Judge.judge(RunLoader.load(folder)).reasons())
                .extracting(VerdictReason::code)
                .contains(ReasonCode.FILE_DAMAGED, ReasonCode.NEEDS_REPORT);
    }

    @Test
    void a_journal_without_a_checksum_is_read_and_a_changed_journal_is_not() throws IOException {
        String sealed = "switchover_vrrp,node=lb1 state=\"MASTER\" 2000";
        String other = "switchover_vrrp,node=lb2 state=\"BACKUP\" 3000";
        RunFolder.write(folder, data(List.of(sealed), 0));
        Files.writeString(folder.resolve("journal-x.lp"), other + "\n");
        assertThat(RunLoader.load(folder).points())
                .containsExactlyInAnyOrder(PointParser.parse(sealed), PointParser.parse(other));
        Path journal = folder.resolve("journal.lp");
        Files.writeString(journal, Files.readString(journal).replace("MASTER", "BACKUP"));
        RunData changed = RunLoader.load(folder);
        assertThat(changed.points()).containsExactly(PointParser.parse(other));
        assertThat(changed.files().damaged())
                .isEqualTo(Map.of("journal.lp", "does not match its checksum in run.json"));
    }

    @Test
    void of_a_scrape_only_its_state_is_kept() {
        RunFolder.write(
                folder,
                data(
                        List.of("switchover_haproxy,node=lb1,proxy=www,server=FRONTEND,type=frontend "
                                + "generation=\"1\",status=\"OPEN\",stot=7i 1000"),
                        0));
        assertThat(RunLoader.load(folder).points())
                .extracting(Point::fields)
                .containsExactly(Map.of("generation", FieldValue.of("1"), "status", FieldValue.of("OPEN")));
    }

    @Test
    void logs_of_one_kind_are_read_in_the_order_of_their_names() {
        RunFolder.write(folder, data(List.of(), 0));
        for (long number : new long[] {5, 2, 6, 1, 4, 3}) {
            try (SampleWriter writer = new SampleWriter(folder.resolve("samples-" + number + ".jtl"))) {
                writer.write(Vectors.sample(number, number + 1, null, null, ""));
            }
        }
        List<Long> starts = new ArrayList<>();
        RunLoader.load(folder).samples().forEach(sample -> starts.add(sample.startUs()));
        assertThat(starts).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    }

    @Test
    void a_line_that_cannot_be_read_counts_once_although_the_log_is_read_twice() throws IOException {
        RunFolder.write(folder, data(List.of(), 0));
        Path log = folder.resolve("samples-1.jtl");
        try (SampleWriter writer = new SampleWriter(log)) {
            writer.write(Vectors.sample(1, 2, null, null, ""));
        }
        Files.writeString(log, "half a row\n", StandardOpenOption.APPEND);
        RunData loaded = RunLoader.load(folder);
        for (int reading = 0; reading < 2; reading++) {
            assertThat(loaded.samples()).hasSize(1);
            assertThat(loaded.unreadLines()).isOne();
        }
    }

    private static RunData data(List<String> points, long probes) {
        List<Sample> sent = LongStream.range(0, probes)
                .mapToObj(at -> Vectors.sample(at, at + 1, at, null, "fresh"))
                .toList();
        return new RunData(
                RUN, sent, List.of(), points.stream().map(PointParser::parse).toList(), List.of(), RunFiles.WHOLE);
    }
}
