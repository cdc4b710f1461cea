package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Damage;
import io.github.switchover.jmeter.core.JournalRecord;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.ProbeAccount;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.VerdictReason;
import io.github.switchover.jmeter.run.WorkerFacts;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A file of a run that is not as the run left it. One with a seal is held against it; one without, of an earlier version
 * or of a process that was killed, against what the run counted.
 */
public record Flaw(String name, VerdictReason reason) {

    /** How the names of these files begin. */
    static final String PROBES = "probes";

    static final String SAMPLES = "samples";
    static final String JOURNAL = "journal";

    private static final String CONTROLLERS_JOURNAL = "journal.lp";
    private static final String PROBER_JOURNAL = "journal-prober.lp";
    private static final Set<String> LOAD_JOURNALS = Set.of("journal-locust.lp", "journal-jmeter.lp");

    static Flaw of(Damage damage) {
        return new Flaw(
                damage.name(), VerdictReason.of(ReasonCode.FILE_DAMAGED, "name", damage.name(), "what", damage.text()));
    }

    /** Of a journal; empty: it is whole. */
    static List<Flaw> of(Run run, JournalRecord record) {
        if (record.damage() != null) {
            return List.of(of(record.damage()));
        }
        if (record.isSealed()) {
            return List.of();
        }
        return Stream.of(atItsEnd(run, record), inItsTraffic(run, record))
                .filter(Objects::nonNull)
                .toList();
    }

    /** The journal of a run that reached its end says so. Null: it does. */
    private static Flaw atItsEnd(Run run, JournalRecord record) {
        Long endUs = run.plan().endUs();
        if (!record.name().equals(CONTROLLERS_JOURNAL) || endUs == null || record.isEnded()) {
            return null;
        }
        Long startUs = run.plan().startUs();
        long nothingUs = startUs == null ? endUs : startUs;
        long lastUs = record.lastNs() == Long.MIN_VALUE ? nothingUs : Math.floorDiv(record.lastNs(), Units.NS_PER_US);
        double earlyS = Math.max(0, endUs - lastUs) / (double) Units.US_PER_S;
        return new Flaw(
                record.name(), VerdictReason.of(ReasonCode.RECORD_ENDS, "name", record.name(), "early_s", earlyS));
    }

    /** The points of all seconds together count each request once. Null: they do. */
    private static Flaw inItsTraffic(Run run, JournalRecord record) {
        if (record.name().equals(PROBER_JOURNAL)) {
            return ofCount(
                    record.name(),
                    countProbes(run.evidence().generator()),
                    record.counts().getOrDefault(Measurements.PROBES, 0L));
        }
        if (!LOAD_JOURNALS.contains(record.name())) {
            return null;
        }
        List<Long> points = run.evidence().workers().stream()
                .map(WorkerFacts::recorded)
                .map(WorkerFacts.Recorded::points)
                .toList();
        Long recorded = points.isEmpty() || points.contains(null)
                ? null
                : (Long) points.stream().mapToLong(Long::longValue).sum();
        return ofCount(record.name(), recorded, record.counts().getOrDefault(Measurements.REQUESTS, 0L));
    }

    /** Null where they are equal, or nothing is known. */
    static Flaw ofCount(String name, Long recorded, long found) {
        return recorded == null || recorded == found
                ? null
                : new Flaw(
                        name,
                        VerdictReason.of(ReasonCode.COUNT_DIFFERS, "name", name, "recorded", recorded, "found", found));
    }

    /** How many probes the prober recorded, on both kinds of connection; null where it does not say. */
    static Long countProbes(ProbeAccount account) {
        Long fresh = account.fresh().recorded();
        if (fresh == null || account.kept() == null) {
            return fresh;
        }
        Long kept = account.kept().recorded();
        return kept == null ? null : (Long) (fresh + kept);
    }
}
