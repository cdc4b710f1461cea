package io.github.switchover.jmeter.view.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.drill.RunResult;
import io.github.switchover.jmeter.run.Journal;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.verdict.Verdict;
import io.github.switchover.jmeter.verdict.Verdict.Status;
import io.github.switchover.jmeter.view.live.LiveTraffic.Share;
import io.github.switchover.jmeter.view.live.RunSnapshot.Holder;
import io.github.switchover.jmeter.view.live.RunSnapshot.RunState;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

class LiveRunTest {

    private static final long START_S = 1_700_000_000L;
    private static final long US = 1_000_000;

    @TempDir
    private Path folder;

    private Journal journal;
    private LiveRun run;
    private RunState state;

    @BeforeEach
    void write() {
        journal = new Journal(folder.resolve("journal.lp"), Map.of("run", "r"));
        state = new RunState(folder, description(PlanTimes.NOTHING.started(START_S * US)), null);
        run = new LiveRun(folder);
        vrrp("lb1", true, 0);
        vrrp("lb2", false, 0);
    }

    @AfterEach
    void close() {
        journal.close();
    }

    /** What both live views show; the window shows no phases and no split brain in milliseconds. */
    @ParameterizedTest
    @VectorSource(file = "live.json", table = "cases")
    void a_run_is_shown_as_the_vectors_say(Map<String, Object> vector) {
        long nowS = START_S + (Long) vector.get("now_s");
        Run described = RunFile.parse(Json.line(vector.get("run")));
        LiveRun live = new LiveRun(folder.resolve("case"));
        ((List<?>) vector.get("lines")).forEach(line -> read(live, line, nowS));
        live.advance(nowS * US);
        RunSnapshot snapshot = live.snapshot(new RunState(folder, described, null), nowS * US);
        Map<String, Object> expected = Contract.map(vector.get("shown"));
        assertThat(snapshot.holding()).isEqualTo(expected.get("holders"));
        assertThat(snapshot.nodes().stream().map(LiveRunTest::row).toList())
                .isEqualTo(((List<?>) expected.get("nodes"))
                        .stream().map(node -> ((List<?>) node).subList(0, 2)).toList());
        assertThat(shares(snapshot.traffic().backends())).isEqualTo(sharesOf(expected.get("backends")));
        assertThat(shares(snapshot.traffic().balancers())).isEqualTo(sharesOf(expected.get("balancers")));
    }

    private static void read(LiveRun live, Object line, long nowS) {
        if (line instanceof String whole) {
            live.read(whole, nowS);
            return;
        }
        List<?> repeated = (List<?>) line;
        for (long at = (Long) repeated.get(1); at < (Long) repeated.get(2); at++) {
            live.read(repeated.get(0) + " " + (START_S + at) * 1_000_000_000L, nowS);
        }
    }

    private static List<Object> row(Holder node) {
        return List.of(node.node(), node.observed());
    }

    private static List<List<Object>> shares(List<Share> shares) {
        return shares.stream()
                .map(share -> List.<Object>of(share.name(), share.count()))
                .toList();
    }

    /** Name and count of those that answered. */
    private static List<List<Object>> sharesOf(Object rows) {
        return ((List<?>) rows)
                .stream()
                        .map(row -> (List<?>) row)
                        .filter(row -> (Long) row.get(1) > 0)
                        .map(row -> List.<Object>of(row.get(0), row.get(1)))
                        .toList();
    }

    @Test
    void the_headline_follows_what_happens() {
        seconds(0, 10, 100, 0);
        assertThat(at(10).holding()).containsExactly("lb1");
        assertThat(Headline.of(at(10)).status()).isEqualTo("running");
        PlanTimes fired = PlanTimes.NOTHING.started(START_S * US).fired((START_S + 10) * US, (START_S + 10) * US);
        state = new RunState(folder, description(fired), null);
        seconds(10, 13, 0, 100);
        vrrp("lb1", false, 12);
        vrrp("lb2", true, 13);
        assertThat(Headline.of(at(16)))
                .isEqualTo(new Headline(
                        Headline.Tone.WARN,
                        "switchover",
                        List.of("lb2 holds the address     300 requests failed so far     outage so far ≈ 3,000 ms by"
                                + " lost probes, provisional")));
        vrrp("lb1", true, 17);
        assertThat(Headline.of(at(18)).tone()).isEqualTo(Headline.Tone.BAD);
        assertThat(Headline.of(at(18)).lines())
                .first()
                .asString()
                .startsWith("SPLIT BRAIN: lb1 and lb2 hold the address");
    }

    @Test
    void the_verdict_takes_the_place_of_what_was_provisional() {
        seconds(0, 5, 100, 0);
        Run ended = description(PlanTimes.NOTHING.started(START_S * US).ended((START_S + 5) * US));
        state = new RunState(folder, ended, null);
        assertThat(Headline.of(at(5)).status()).isEqualTo("ended");
        Verdict verdict = new Verdict(Status.MEASURED, List.of(), List.of(), List.of(), Tree.EMPTY);
        List<String> lines = List.of("MEASURED  r", "failed 1");
        state = new RunState(folder, ended, new RunResult(folder, ended, verdict, lines));
        assertThat(Headline.of(at(6))).isEqualTo(new Headline(Headline.Tone.GOOD, "measured", lines));
    }

    @Test
    void the_headline_ends_with_the_last_message_of_the_run() {
        seconds(0, 5, 100, 0);
        Headline headline = Headline.of(at(5));
        Headline noting = headline.noting("lb2 can take over");
        assertThat(noting.status()).isEqualTo("running");
        assertThat(noting.lines()).startsWith(headline.lines().get(0)).endsWith("lb2 can take over");
        assertThat(noting.noting("lb2 can take over")).isSameAs(noting);
    }

    private RunSnapshot at(long second) {
        long nowUs = (START_S + second) * US;
        assertThat(run.advance(nowUs)).isFalse();
        return run.snapshot(state, nowUs);
    }

    /** Requests, and a tenth as many probes, in each second. */
    private void seconds(long from, long to, long good, long failed) {
        for (long at = START_S + from; at < START_S + to; at++) {
            long ns = at * 1_000_000_000L;
            String who = ",backend=web1,balancer=lb1,answered_by=backend,outcome=good";
            line("switchover_requests", who, good, ns);
            line("switchover_requests", ",answered_by=none,outcome=failed", failed, ns);
            line("switchover_probes", ",outcome=good,stream=fresh", good / 10, ns);
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
        List<Tree> nodes = Arrays.asList("lb1", "lb2").stream()
                .map(name -> Tree.of("name", name, "role", "balancer", "vip_owner", true))
                .toList();
        return Run.named("r", "n")
                .with("target", Tree.of("nodes", nodes))
                .setting("probe_rate", 10.0)
                .with(plan);
    }
}
