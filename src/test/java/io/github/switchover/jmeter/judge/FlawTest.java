package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.Damage;
import io.github.switchover.jmeter.core.JournalRecord;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.ProbeAccount;
import io.github.switchover.jmeter.run.ProbeAccount.StreamFigures;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.WorkerFacts;
import io.github.switchover.jmeter.run.WorkerFacts.Clock;
import io.github.switchover.jmeter.run.WorkerFacts.Origin;
import io.github.switchover.jmeter.run.WorkerFacts.Recorded;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Files of a run that are not as it left them; those without a seal, as far as what the run counted tells. */
class FlawTest {

    private static final long SECOND = 1_000_000;
    private static final PlanTimes PLAN = PlanTimes.NOTHING.started(10 * SECOND).ended(30 * SECOND);

    @Test
    void damage_is_told_whether_or_not_there_is_a_seal() {
        Damage damage = new Damage("journal.lp", 5, 9, true);
        for (boolean isSealed : new boolean[] {true, false}) {
            assertThat(texts(run(), new JournalRecord("journal.lp", isSealed, damage, 0, false, Map.of())))
                    .containsExactly(damage.text());
        }
    }

    @Test
    void the_controllers_journal_without_a_seal_says_when_the_run_ended() {
        assertThat(texts(run(), record("journal.lp", 27_500_000_000L, false)))
                .containsExactly("journal.lp ends 2.5 s before the run does: what it shows is not known from there on");
        assertThat(texts(run(), record("journal.lp", 40_000_000_000L, false)))
                .containsExactly("journal.lp ends 0.0 s before the run does: what it shows is not known from there on");
        assertThat(texts(run(), record("journal.lp", Long.MIN_VALUE, false)))
                .containsExactly(
                        "journal.lp ends 20.0 s before the run does: what it shows is not known from there on");
        assertThat(texts(run().with(PlanTimes.NOTHING.ended(30 * SECOND)), record("journal.lp", Long.MIN_VALUE, false)))
                .containsExactly("journal.lp ends 0.0 s before the run does: what it shows is not known from there on");
        assertThat(texts(run(), record("journal.lp", 0, true))).isEmpty();
        assertThat(texts(run(), record("journal-other.lp", 0, false))).isEmpty();
        assertThat(texts(run().with(PlanTimes.NOTHING.started(0)), record("journal.lp", 0, false)))
                .isEmpty();
        assertThat(texts(run(), new JournalRecord("journal.lp", true, null, 0, false, Map.of())))
                .isEmpty();
    }

    @Test
    void the_probers_journal_counts_each_probe_once() {
        Run run = run().with(run().evidence().with(account(5L, null)));
        assertThat(texts(run, counted("journal-prober.lp", Measurements.PROBES, 5)))
                .isEmpty();
        assertThat(texts(run, counted("journal-prober.lp", Measurements.PROBES, 4)))
                .containsExactly("journal-prober.lp has 4 requests, and the run recorded 5");
        assertThat(texts(run, counted("journal-prober.lp", Measurements.REQUESTS, 5)))
                .containsExactly("journal-prober.lp has 0 requests, and the run recorded 5");
        assertThat(texts(run(), counted("journal-prober.lp", Measurements.PROBES, 4)))
                .isEmpty();
    }

    @Test
    void probes_on_both_kinds_of_connection_are_counted_together_where_both_are_known() {
        assertThat(Flaw.countProbes(account(5L, null))).isEqualTo(5);
        assertThat(Flaw.countProbes(account(5L, stream(7L)))).isEqualTo(12);
        assertThat(Flaw.countProbes(account(5L, stream(null)))).isNull();
        assertThat(Flaw.countProbes(account(null, stream(7L)))).isNull();
    }

    @Test
    void a_loads_journal_counts_each_sample_once_where_all_its_processes_say_how_many_there_were() {
        for (String name : List.of("journal-locust.lp", "journal-jmeter.lp")) {
            JournalRecord found = counted(name, Measurements.REQUESTS, 9);
            assertThat(texts(workers(5L, 4L), found)).isEmpty();
            assertThat(texts(workers(5L, 5L), found))
                    .containsExactly(name + " has 9 requests, and the run recorded 10");
            assertThat(texts(workers(5L, null), found)).isEmpty();
            assertThat(texts(workers(), found)).isEmpty();
        }
        assertThat(texts(workers(5L, 5L), counted("journal-other.lp", Measurements.REQUESTS, 9)))
                .isEmpty();
    }

    private static Run run() {
        return Run.named("r", "n").with(PLAN);
    }

    private static Run workers(Long... points) {
        List<WorkerFacts> workers = new ArrayList<>();
        for (Long counted : points) {
            workers.add(new WorkerFacts(
                    new Origin("w" + workers.size(), "h", null),
                    true,
                    new Recorded(null, counted, null, null),
                    new Clock(null, null),
                    "start",
                    "stopped"));
        }
        return run().with(run().evidence().withWorkers(workers));
    }

    private static ProbeAccount account(Long fresh, StreamFigures kept) {
        return new ProbeAccount(stream(fresh), kept, null, null, null, null, null);
    }

    private static StreamFigures stream(Long recorded) {
        return new StreamFigures(null, recorded, null, null, null, null);
    }

    private static JournalRecord record(String name, long lastNs, boolean isEnded) {
        return new JournalRecord(name, false, null, lastNs, isEnded, Map.of());
    }

    private static JournalRecord counted(String name, String measurement, long count) {
        return new JournalRecord(name, false, null, 0, true, Map.of(measurement, count));
    }

    private static List<String> texts(Run run, JournalRecord record) {
        return Flaw.of(run, record).stream().map(flaw -> flaw.reason().text()).toList();
    }
}
