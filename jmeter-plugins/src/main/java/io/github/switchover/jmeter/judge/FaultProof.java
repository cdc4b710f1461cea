package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.faults.FaultTraits;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The short form of confirmation and restoration: yes, or not known here. {@code switchover report} has the long form, and
 * never contradicts a yes: every source that could deny it there is asked here.
 */
record FaultProof(RunCourse course, Ownership ownership, Map<String, NodeLife> lives) {

    /** Beside the fault's own proof: a bad probe, another generation of the victim, or a move of the address. */
    boolean isConfirmed() {
        FaultRun fault = course.run().fault();
        Span faulted = course.faulted();
        List<String> named =
                fault.sources().isEmpty() ? FaultTraits.of(fault.name()).sources() : fault.sources();
        boolean isUnknownFault = named.isEmpty() && !fault.kind().equals(FaultRun.BACKEND);
        NodeLife victim = lives.get(fault.hit());
        BalancerState before = victim == null ? null : victim.lastBefore(faulted.fromUs());
        boolean isRenewed = before != null
                && (victim.between(faulted).stream()
                                .anyMatch(state -> !state.generation().equals(before.generation()))
                        || victim.isSilentAt(faulted.toUs(), faulted.fromUs()));
        boolean isSilent = before != null && victim.isSilentWithin(faulted);
        boolean isDenied = named.contains("frontend")
                || (before != null && named.contains("generation") && !isRenewed)
                || (before != null && named.contains("scrapes") && !isSilent);
        boolean isMoved = ownership.nodes().stream()
                .anyMatch(node -> !node.equals(fault.master())
                        && ownership.firstOwnedUs(node, faulted).isPresent());
        boolean isImpaired = course.outage() != null && course.outage().impaired() > 0;
        return !isDenied
                && (isImpaired
                        || (isRenewed && (isUnknownFault || named.contains("generation")))
                        || (isSilent && named.contains("scrapes"))
                        || (isMoved && (isUnknownFault || named.contains("owner"))));
    }

    /** After the heal each balancer answers, its frontends and servers are as before, and one node holds the address. */
    boolean isRestored() {
        PlanTimes plan = course.run().plan();
        long startedUs = plan.healedUs() + Judge.SETTLED_US;
        Double returnsMs = course.run().fault().tree().number("failback_settled_ms");
        boolean isSettled = plan.endUs() >= startedUs + (returnsMs == null ? 0 : returnsMs) * Units.US_PER_MS;
        for (NodeLife life : lives.values()) {
            long lookedUs = plan.endUs() >= startedUs ? plan.endUs() : life.askedUs();
            if (lookedUs >= startedUs && !isAsBefore(life, lookedUs, isSettled)) {
                return false;
            }
        }
        return !isSettled || isAddressBack(returnsMs != null);
    }

    private boolean isAsBefore(NodeLife life, long lookedUs, boolean isSettled) {
        long firedUs = course.run().plan().firedFromUs();
        BalancerState before = life.lastBefore(firedUs);
        if (before == null || !life.isAskedAt(lookedUs, firedUs)) {
            return true;
        }
        BalancerState after = life.lastBefore(lookedUs + 1);
        if (after == null || life.isSilentAt(lookedUs, firedUs)) {
            return false;
        }
        return !isSettled
                || (after.frontends().entrySet().containsAll(before.frontends().entrySet())
                        && after.serversUp().containsAll(before.serversUp()));
    }

    private boolean isAddressBack(boolean isToReturn) {
        TreeSet<String> balancers = new TreeSet<>(course.run().balancers());
        if (balancers.size() < 2 || !ownership.nodes().containsAll(balancers)) {
            return true;
        }
        List<String> holders = balancers.stream()
                .filter(node -> ownership.holdsAt(node, course.run().plan().endUs()))
                .toList();
        String master = course.run().fault().master();
        boolean isElsewhere = isToReturn && master != null && balancers.contains(master) && !holders.contains(master);
        return holders.size() == 1 && !isElsewhere;
    }
}
