package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.RunFolder;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.PointParser;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.SampleWriter;
import io.github.switchover.jmeter.core.Seal;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.judge.RunData.UnreadLines;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
                "switchover_advert,node=lb1 priority=100i 3000",
                "switchover_event,kind=warning text=\"odd\" 6000");
        List<String> others = List.of(
                "switchover_scrape,node=lb1,source=vip_owner ok=true 1000",
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
    void one_part_that_describes_the_run_is_enough() throws IOException {
        RunFolder.write(folder, data(List.of(), 2));
        Path part = Files.createDirectory(folder.resolve("part"));
        assertThat(RunLoader.load(part, folder).run().id()).isEqualTo("r");
        assertThatThrownBy(() -> RunLoader.load(part))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessageStartingWith(part.toString());
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "3, -, 3, -",
                "5, 2, 3, -",
                "5, -, 3, 'probes.jtl has 3 requests, and the run recorded 5'",
                "5, 1, 3, 'probes.jtl has 3 requests, and the run recorded 4'",
                "-, -, 3, -"
            })
    void a_log_of_probes_without_a_seal_has_as_many_as_the_prober_wrote(
            Long recorded, Long lost, long found, String flaw) {
        RunFolder.write(folder, data(List.of(), found, account(recorded, lost)));
        assertThat(RunLoader.load(folder).flaws())
                .extracting(one -> one.reason().text())
                .isEqualTo(flaw == null ? List.of() : List.of(flaw));
    }

    @Test
    void a_log_of_probes_that_has_a_seal_is_held_against_that_alone() {
        Run run = account(5L, null);
        Map<String, List<Seal>> seals = Map.of("probes.jtl", List.of(new Seal(0, 1, "00000000")));
        RunFolder.write(folder, data(List.of(), 3, run.sealed(seals)));
        assertThat(RunLoader.load(folder).flaws())
                .extracting(one -> one.reason().text())
                .containsExactly("probes.jtl is damaged between byte 0 and 1");
    }

    private static Run account(Long recorded, Long lost) {
        return RUN.with("generator", Tree.of("recorded", recorded, "lost", lost));
    }

    private static RunData data(List<String> points, long probes) {
        return data(points, probes, RUN);
    }

    private static RunData data(List<String> points, long probes, Run run) {
        List<Sample> sent = LongStream.range(0, probes)
                .mapToObj(at -> Vectors.sample(at, at + 1, at, null, "fresh"))
                .toList();
        return new RunData(
                run,
                sent,
                List.of(),
                points.stream().map(PointParser::parse).toList(),
                UnreadLines.none(),
                List.of(),
                List.of());
    }
}
