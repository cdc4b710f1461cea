package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.verdict.Outage.Gap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the gaps in the probes that ended after one planned event and began before the next event.
 *
 * <p>If a probe was sent before the fault and fails after the fault, the failure belongs to the fault. An answer well
 * before the fault proves that the service was alive at the time of the answer.
 */
final class GapFinder {

    /**
     * A probe that waited this many times the usual time was sent while the service was away.
     *
     * <p>A factor of 1 is too small: the first answer after a switchover may be slow (neighbour entry, cold caches).
     */
    private static final int PATIENCE = 3;

    /** The time of the last good answer if no good answer arrived. */
    private static final long NEVER = Long.MIN_VALUE;

    /** The time of the next good answer if no good answer follows. */
    private static final long NOT_AGAIN = Long.MAX_VALUE;

    private final long sinceUs;
    private final long horizonUs;
    private final boolean nextEvent;
    private final @Nullable Long usualUs;
    private final List<Probe> probes;
    private final ProvedAlive proved;
    private final long aliveUs;
    private final boolean ongoing;

    GapFinder(List<Probe> all, long sinceUs, long horizonUs, boolean nextEvent) {
        this.sinceUs = sinceUs;
        this.horizonUs = horizonUs;
        this.nextEvent = nextEvent;
        usualUs = Probe.usualUs(all, sinceUs);
        proved = new ProvedAlive(all);
        probes = all.stream()
                .filter(probe -> probe.endUs() >= sinceUs && (!nextEvent || probe.startUs() < horizonUs))
                .toList();
        long alive = NEVER;
        Probe latest = null;
        for (Probe probe : all) {
            if (probe.endUs() >= sinceUs) {
                continue;
            }
            if (probe.outcome() == Outcome.GOOD) {
                alive = Math.max(alive, probe.endUs());
            }
            if (latest == null || probe.endUs() > latest.endUs()) {
                latest = probe;
            }
        }
        aliveUs = alive;
        ongoing = latest != null && latest.impaired();
    }

    /** A gap, and the number of good answers between it and the next series of impaired probes. */
    record FoundGap(Gap gap, long good) {}

    /** The indexes of the first and the last probe of an unbroken series of impaired probes. */
    private record ImpairedSeries(int first, int last) {}

    List<FoundGap> gaps() {
        List<ImpairedSeries> series = series();
        long[] alive = aliveBefore();
        long[] back = backAfter();
        List<FoundGap> gaps = new ArrayList<>();
        for (int index = 0; index < series.size(); index++) {
            ImpairedSeries one = series.get(index);
            int following = index + 1 < series.size() ? series.get(index + 1).first : probes.size();
            List<Probe> members = probes.subList(one.first, one.last + 1);
            if (members.stream().noneMatch(this::isInTime)) {
                continue; // in progress at the next event, and failed afterwards: the probe belongs to that event
            }
            long good = probes.subList(one.last + 1, following).stream()
                    .filter(this::isInTime)
                    .count();
            Gap gap = gap(members, back[one.last + 1], alive[one.first], one.last, following);
            int before = gaps.size() - 1;
            if (before >= 0 && gap.coversTheTimeOf(gaps.get(before).gap)) {
                gap = gap.joinedTo(gaps.remove(before).gap);
            }
            gaps.add(new FoundGap(gap, good));
        }
        return gaps;
    }

    private Gap gap(List<Probe> members, long back, long aliveBefore, int last, int following) {
        boolean closed = back != NOT_AGAIN;
        long toUs = closed ? back : horizonUs;
        long alive = aliveBefore == NEVER || aliveBefore > toUs ? lastGood(members.get(0), toUs) : aliveBefore;
        boolean atFirst = alive == NEVER || alive < sinceUs;
        long fromUs = alive != NEVER
                ? proved.by(alive)
                : Math.min(sinceUs, members.get(0).startUs());
        long earlyLeftUs;
        if (atFirst && ongoing) {
            fromUs = sinceUs;
            earlyLeftUs = 0;
        } else {
            earlyLeftUs = Math.max(0, Math.min(down(members, aliveBefore), toUs) - fromUs);
        }
        return new Gap(
                new Span(fromUs, toUs),
                new Span(
                        members.get(0).startUs(),
                        members.get(members.size() - 1).startUs()),
                new Gap.Impaired(
                        counted(members, Outcome.FAILED),
                        counted(members, Outcome.LATE),
                        members.stream().mapToLong(Probe::endUs).min().orElseThrow()),
                earlyLeftUs,
                closed ? earlyRight(last, following, toUs) : 0,
                closed);
    }

    private static long counted(List<Probe> members, Outcome outcome) {
        return members.stream().filter(probe -> probe.outcome() == outcome).count();
    }

    private List<ImpairedSeries> series() {
        List<ImpairedSeries> series = new ArrayList<>();
        int first = -1;
        for (int index = 0; index <= probes.size(); index++) {
            boolean impaired = index < probes.size() && probes.get(index).impaired();
            if (impaired && first < 0) {
                first = index;
            } else if (!impaired && first >= 0) {
                series.add(new ImpairedSeries(first, index - 1));
                first = -1;
            }
        }
        return series;
    }

    private boolean isInTime(Probe probe) {
        return !nextEvent || probe.endUs() < horizonUs;
    }

    /** For each probe, the time of the latest good answer to any probe sent before it. */
    private long[] aliveBefore() {
        long[] known = new long[probes.size()];
        long latest = aliveUs;
        for (int index = 0; index < known.length; index++) {
            known[index] = latest;
            if (probes.get(index).outcome() == Outcome.GOOD) {
                latest = Math.max(latest, probes.get(index).endUs());
            }
        }
        return known;
    }

    /** For each probe, the time of the first good answer, before the next event, to this or a later probe. */
    private long[] backAfter() {
        long[] known = new long[probes.size() + 1];
        known[probes.size()] = NOT_AGAIN;
        for (int index = probes.size() - 1; index >= 0; index--) {
            Probe probe = probes.get(index);
            boolean good = !probe.impaired() && isInTime(probe);
            known[index] = good ? Math.min(known[index + 1], probe.endUs()) : known[index + 1];
        }
        return known;
    }

    /** Returns the time of the latest good answer before the end of the gap. */
    private long lastGood(Probe first, long toUs) {
        return probes.stream()
                .filter(probe ->
                        probe.startUs() < first.startUs() && probe.outcome() == Outcome.GOOD && probe.endUs() <= toUs)
                .mapToLong(Probe::endUs)
                .max()
                .orElse(aliveUs);
    }

    /**
     * Returns the latest time at which the service may have been alive: its first failure, or its usual answer.
     *
     * <p>A probe whose answer would have come before the last good answer was overtaken. The usual time of such a probe
     * is ignored.
     */
    private long down(List<Probe> members, long aliveBefore) {
        return members.stream()
                .mapToLong(probe -> usualUs != null && probe.startUs() + usualUs > aliveBefore
                        ? Math.min(probe.endUs(), probe.startUs() + usualUs)
                        : probe.endUs())
                .min()
                .orElseThrow();
    }

    /**
     * Returns by how many µs the gap may have ended earlier. The service may have been back since the last impaired
     * probe was sent, or since a later probe was sent that waited unusually long, as during a hang.
     *
     * <p>If the client was held up when it read the first answer, the waiting time is computed from the proved time.
     */
    private long earlyRight(int last, int following, long toUs) {
        int unanswered = last;
        if (usualUs != null) {
            long waitedUntilUs = proved.by(toUs) - PATIENCE * usualUs;
            while (unanswered + 1 < following && probes.get(unanswered + 1).startUs() < waitedUntilUs) {
                unanswered++;
            }
        }
        return Math.max(0, toUs - probes.get(unanswered).startUs());
    }

    /**
     * The time until which the good answers prove that the service was alive.
     *
     * <p>An answer that was read just after the prober was held up proves only the time at which its probe was sent.
     */
    static final class ProvedAlive {

        /** A prober that is not held up sends within this time: the 99th percentile is 0.1 to 0.6 ms (measured). */
        private static final long HELD_UP_US = 1_000;

        /** The times at which good answers were read, in order. */
        private final long[] reads;

        /** For each time in {@code reads}, the latest time that the answers until then prove. */
        private final long[] proofs;

        ProvedAlive(List<Probe> probes) {
            List<Probe> good = probes.stream()
                    .filter(probe -> probe.outcome() == Outcome.GOOD)
                    .sorted(Comparator.comparingLong(Probe::endUs))
                    .toList();
            reads = new long[good.size()];
            proofs = new long[good.size()];
            int sent = 0;
            Probe caughtUp = null;
            for (int index = 0; index < reads.length; index++) {
                Probe probe = good.get(index);
                for (; sent < probes.size() && probes.get(sent).startUs() <= probe.endUs(); sent++) {
                    Probe before = probes.get(sent);
                    caughtUp = before.startUs() - before.dueUs() > HELD_UP_US ? before : caughtUp;
                }
                boolean hasJustCaughtUp = caughtUp != null && probe.endUs() - caughtUp.startUs() <= HELD_UP_US;
                boolean isBehind =
                        sent < probes.size() && probe.endUs() - probes.get(sent).dueUs() > HELD_UP_US;
                long provedUs = hasJustCaughtUp || isBehind ? probe.startUs() : probe.endUs();
                reads[index] = probe.endUs();
                proofs[index] = index == 0 ? provedUs : Math.max(proofs[index - 1], provedUs);
            }
        }

        long by(long readUs) {
            int last = Arrays.binarySearch(reads, readUs);
            while (last + 1 < reads.length && reads[last + 1] == readUs) {
                last++;
            }
            return proofs[last];
        }
    }
}
