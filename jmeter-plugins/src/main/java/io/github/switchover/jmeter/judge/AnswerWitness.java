package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Span;
import java.util.HashSet;
import java.util.Set;

/**
 * What the requests say of a fault's effect: did others answer, did they fail, did the victim get less or answer later?
 * Not thread-safe.
 */
final class AnswerWitness {

    /** A backend whose answers take this many times as long as before, and this much longer, was slowed down. */
    private static final double SLOWER = 2.0;

    private static final double SLOWER_US = 20_000;

    private final String victim;
    private final Span faulted;
    private final Answers before = new Answers();
    private final Answers after = new Answers();
    private final Set<String> balancersBefore = new HashSet<>();
    private final Set<String> balancersAfter = new HashSet<>();
    private long failed;

    private static final class Answers {
        private long all;
        private long own;
        private long good;
        private long tookUs;

        void add(Sample sample, boolean isOwn) {
            all++;
            if (isOwn) {
                own++;
            }
            if (isOwn && sample.success()) {
                good++;
                tookUs += sample.endUs() - sample.startUs();
            }
        }
    }

    /** {@code faulted}: from the fault to its heal, or to the end. */
    AnswerWitness(String victim, Span faulted) {
        this.victim = victim;
        this.faulted = faulted;
    }

    void add(Sample sample) {
        boolean isBefore = sample.endUs() < faulted.fromUs();
        boolean isAfter = faulted.contains(sample.startUs());
        String backend = sample.identity().backend();
        if (!backend.isEmpty() && isBefore) {
            before.add(sample, backend.equals(victim));
        }
        if (!backend.isEmpty() && isAfter) {
            after.add(sample, backend.equals(victim));
        }
        String balancer = sample.identity().balancer();
        if (!balancer.isEmpty() && isBefore) {
            balancersBefore.add(balancer);
        }
        if (!balancer.isEmpty() && isAfter) {
            balancersAfter.add(balancer);
        }
        if (isAfter) {
            failed += !sample.success() && sample.error() != FailureKind.GENERATOR ? 1 : 0;
        }
    }

    /** Requests that failed between fault and heal. */
    long failed() {
        return failed;
    }

    /** Another than those that had answered before, if any had. */
    boolean hasAnotherBalancerAnswered() {
        return !balancersBefore.isEmpty() && !balancersBefore.containsAll(balancersAfter);
    }

    /** The victim's share of the answers as a part of that from before; null: unknown. */
    Double share() {
        if (before.own == 0 || after.all == 0) {
            return null;
        }
        return ((double) after.own / after.all) / ((double) before.own / before.all);
    }

    /** Its answers came later than before. */
    boolean isSlower() {
        if (before.good == 0 || after.good == 0) {
            return false;
        }
        double tookBefore = (double) before.tookUs / before.good;
        double tookAfter = (double) after.tookUs / after.good;
        return tookAfter > Math.max(SLOWER * tookBefore, tookBefore + SLOWER_US);
    }
}
