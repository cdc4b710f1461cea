package io.github.switchover.jmeter.view.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Journal;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.run.RunSettings;
import io.github.switchover.jmeter.run.TargetFacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveRunTest {

    private static final long START_S = 1_700_000_000L;
    private static final long US = 1_000_000;

    @TempDir
    private Path folder;

    private Journal journal;
    private LiveRun run;

    @BeforeEach
    void write() {
        journal = new Journal(folder.resolve("journal.lp"), Map.of("run", "r"));
        RunFile.write(folder, description(PlanTimes.NOTHING.started(START_S * US)));
        run = new LiveRun(folder);
        vrrp("lb1", true, 0);
        vrrp("lb2", false, 0);
    }

    @AfterEach
    void close() {
        journal.close();
    }

    @Test
    void phases_and_marks_follow_what_happens() {
        seconds(0, 10, 100, 0);
        assertThat(at(10).traffic().phases()).extracting(PhaseCounts::phase).containsExactly("baseline");
        assertThat(at(10).address().holding()).containsExactly("lb1");
        RunFile.write(
                folder,
                description(PlanTimes.NOTHING.started(START_S * US).fired((START_S + 10) * US, (START_S + 10) * US)));
        seconds(10, 13, 0, 100);
        vrrp("lb1", false, 12);
        vrrp("lb2", true, 13);
        seconds(13, 16, 100, 0);
        RunSnapshot dark = at(16);
        assertThat(dark.phase()).isEqualTo("switchover");
        assertThat(dark.noted().marks())
                .extracting(Mark::kind)
                .containsExactly(Mark.MarkKind.FAULT, Mark.MarkKind.ELECTION);
        assertThat(Headline.of(new ViewState(dark, null)).says())
                .containsExactly(
                        "lb2 holds the address",
                        "300 requests failed so far",
                        "outage so far ≈ 3,000 ms by lost probes, provisional");
        seconds(16, 19, 100, 0);
        RunSnapshot clean = at(19);
        assertThat(clean.phase()).isEqualTo("on_backup");
        assertThat(clean.noted().marks())
                .containsExactly(
                        new Mark(Mark.MarkKind.FAULT, (START_S + 10) * US, false),
                        new Mark(Mark.MarkKind.ELECTION, (START_S + 13) * US, false),
                        new Mark(Mark.MarkKind.GOOD, (START_S + 13) * US, true));
        assertThat(clean.address().splitBrainMs()).isZero();
        assertThat(clean.traffic().phases().get(1).requests().failed()).isEqualTo(300);
        assertThat(clean.traffic().phases().get(1).probes().failed()).isEqualTo(30);
    }

    @Test
    void what_ended_before_the_start_of_a_run_is_on_the_chart() {
        assertThat(at(1).time().beginS()).isEqualTo(START_S);
        seconds(-2, 0, 100, 0);
        assertThat(at(1).time().beginS()).isEqualTo(START_S - 2);
    }

    @Test
    void two_who_hold_the_address_are_told_at_once() {
        seconds(0, 5, 100, 0);
        vrrp("lb2", true, 5);
        RunSnapshot snapshot = at(8);
        assertThat(snapshot.address().splitBrainMs()).isEqualTo(3000);
        assertThat(snapshot.address().splits()).containsExactly(new Span((START_S + 5) * US, (START_S + 8) * US));
        assertThat(Headline.of(new ViewState(snapshot, null)))
                .extracting(Headline::tone, headline -> headline.says().get(0))
                .containsExactly(Headline.Tone.BAD, "SPLIT BRAIN: lb1 and lb2 hold the address");
    }

    @Test
    void shares_stand_beside_what_haproxys_weights_promise() {
        journal.writeLine("switchover_haproxy,node=lb1,proxy=p,server=web1,type=server weight=3i,x=1i 1");
        journal.writeLine("switchover_haproxy,node=lb1,proxy=p,server=web2,type=server weight=1i,x=1i 1");
        journal.writeLine("switchover_haproxy,node=lb1,proxy=p,server=web1,type=server weight=0i,x=1i 2");
        journal.writeLine("switchover_haproxy,node=lb1,proxy=p,server=BACKEND,type=backend weight=4i 1");
        seconds(0, 5, 100, 0);
        assertThat(at(5).traffic().backends())
                .containsExactly(new Share("web1", 500, 1.0, 1.0, 0.75), new Share("web2", 0, 0.0, 0.0, 0.25));
    }

    @Test
    void cleared_it_counts_from_then_on_and_still_knows_what_happened() {
        journal.event(EventKind.WARNING, "something", START_S * US * 1000);
        seconds(0, 5, 100, 0);
        assertThat(at(5).traffic().stretches()).hasSize(5);
        run.clear((START_S + 5) * US);
        seconds(3, 8, 100, 0);
        RunSnapshot snapshot = at(8);
        assertThat(snapshot.traffic().stretches())
                .extracting(Stretch::atS)
                .containsExactly(START_S + 5, START_S + 6, START_S + 7);
        assertThat(snapshot.noted().events()).extracting(RunEvent::kind).containsExactly("warning");
    }

    @Test
    void the_verdict_takes_the_place_of_what_was_provisional() throws IOException {
        seconds(0, 5, 100, 0);
        RunFile.write(
                folder, description(PlanTimes.NOTHING.started(START_S * US).ended((START_S + 5) * US)));
        assertThat(at(5).state()).isEqualTo(RunSnapshot.RunState.ENDED);
        Files.writeString(folder.resolve("verdict.json"), "{\"run\": \"r\", \"trusted\": true, \"passed\": true, ");
        assertThat(at(5).state()).isEqualTo(RunSnapshot.RunState.ENDED);
        Files.writeString(
                folder.resolve("verdict.json"),
                "{\"run\": \"r\", \"trusted\": true, \"word\": \"MEASURED\", \"lines\": [\"MEASURED  r\", \"failed 1\"]}");
        Files.setLastModifiedTime(folder.resolve("verdict.json"), FileTime.fromMillis(START_S * 1000));
        assertThat(at(6).verdict().status()).isEqualTo("MEASURED");
        assertThat(Headline.of(new ViewState(at(6), null)))
                .isEqualTo(new Headline(Headline.Tone.GOOD, "measured", List.of("MEASURED  r"), List.of("failed 1")));
    }

    @Test
    void a_line_that_is_still_being_written_waits_for_its_end() throws IOException {
        Path other = folder.resolve("journal-jmeter.lp");
        Files.writeString(other, "switchover_requests,outcome=ok count=4");
        assertThat(at(1).traffic().stretches()).isEmpty();
        Files.writeString(other, "2i " + START_S * 1_000_000_000L + "\n", StandardOpenOption.APPEND);
        assertThat(at(1).traffic().stretches())
                .extracting(Stretch::requests)
                .containsExactly(new EndedCounts(42, 0, 0));
    }

    @Test
    void a_second_of_a_clock_that_is_wrong_is_passed_over() {
        seconds(1000, 1001, 1, 0);
        assertThat(at(1).traffic().stretches()).isEmpty();
    }

    private RunSnapshot at(long second) {
        long nowUs = (START_S + second) * US;
        assertThat(run.advance(nowUs)).isFalse();
        return run.snapshot(nowUs);
    }

    /** Requests, and a tenth as many probes, in each second. */
    private void seconds(long from, long to, long good, long failed) {
        for (long at = START_S + from; at < START_S + to; at++) {
            long ns = at * 1_000_000_000L;
            String who = ",backend=web1,balancer=lb1,answered_by=backend,outcome=ok";
            line("switchover_requests", who, good, ns);
            line("switchover_requests", ",answered_by=none,outcome=failed", failed, ns);
            line("switchover_probes", ",outcome=ok,stream=fresh", good / 10, ns);
            line("switchover_probes", ",outcome=failed,error=refused,stream=fresh", failed / 10, ns);
        }
    }

    private void line(String measurement, String tags, long count, long ns) {
        if (count > 0) {
            journal.writeLine(measurement + tags + " count=" + count + "i " + ns);
        }
    }

    private void vrrp(String node, boolean holds, long second) {
        journal.write(
                "switchover_vrrp",
                Map.of("node", node, "instance", "vip"),
                Map.of("holds_vip", FieldValue.of(holds)),
                (START_S + second) * 1_000_000_000L);
    }

    private static Run description(PlanTimes plan) {
        List<TargetFacts.NodeFacts> nodes = Stream.of("lb1", "lb2")
                .map(name -> new TargetFacts.NodeFacts(name, "balancer", null, true, false, true, false))
                .toList();
        return Run.named("r", "n")
                .with(new TargetFacts("http://198.18.0.50/", "200-399", false, Map.of(), nodes, false, null))
                .with(RunSettings.unprobed().with(new RunSettings.ProbeSettings(10.0, null, null, null, null, null)))
                .with(FaultRun.of(
                        "haproxy-kill", FaultRun.MASTER, new FaultRun.FaultNodes("lb1", "lb2", "lb1", "header")))
                .with(plan);
    }
}
