package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.WitnessCheck;
import io.github.switchover.jmeter.run.WitnessCheck.Wholeness;
import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * After the heal: is the pair as it was before the fault? The heal's own commands do not say: one that does nothing ends
 * with 0, too. What no witness can tell is not known, and stands in the way of nothing.
 *
 * @param healed whether what the fault broke is well again
 * @param others whether all the rest is as before
 */
record PairCheck(List<WitnessCheck> healed, List<WitnessCheck> others) {

    private static final String NOT_KNOWN =
            "whether the pair is whole again is not known: no telemetry tells of it from 5 s after the heal on";

    /**
     * Null where nothing was fired, or nothing was healed long enough before the end. A balancer that was silent at an
     * earlier end was asked on.
     */
    static PairCheck of(Run run, Ownership ownership, Map<String, NodeLife> lives) {
        PlanTimes plan = run.plan();
        FaultRun fault = run.fault();
        if (fault == null || plan.firedFromUs() == null || plan.healedUs() == null || plan.endUs() == null) {
            return null;
        }
        long startedUs = plan.healedUs() + Wholeness.SETTLED_US;
        Double returnsMs = fault.prediction().failbackSettledMs();
        boolean isSettled = plan.endUs() >= startedUs + (returnsMs == null ? 0 : returnsMs) * Units.US_PER_MS;
        PairCheck found = new PairCheck(new ArrayList<>(), new ArrayList<>());
        boolean isStarted = plan.endUs() >= startedUs;
        for (NodeLife life : lives.values()) {
            long lookedUs = isStarted ? plan.endUs() : life.askedUs();
            if (lookedUs >= startedUs) {
                found.lookAtNode(life, fault.hit(), plan.firedFromUs(), lookedUs, isSettled);
            }
        }
        if (isSettled) {
            found.lookAtAddress(run, ownership, plan.endUs());
        }
        return isStarted || !found.isEmpty() ? found : null;
    }

    /** As verdict.json has it; null of nothing. */
    static Wholeness wholeness(PairCheck found) {
        if (found == null) {
            return null;
        }
        List<WitnessCheck> checks =
                Stream.concat(found.healed.stream(), found.others.stream()).toList();
        List<Boolean> known = checks.stream()
                .map(WitnessCheck::holds)
                .filter(holds -> holds != null)
                .toList();
        return new Wholeness(known.isEmpty() ? null : (Boolean) !known.contains(false), checks);
    }

    /** One where a fault was healed, and nothing says whether all is as before. */
    static List<String> warnings(Run run, PairCheck found) {
        boolean isFired =
                run.fault() != null && !run.fault().isNone() && run.plan().firedFromUs() != null;
        Wholeness told = wholeness(found);
        boolean isKnown = told != null && told.whole() != null;
        return isFired && run.plan().healedUs() != null && !isKnown ? List.of(NOT_KNOWN) : List.of();
    }

    /** Of {@code proxy/server}. */
    static String serverOf(String name) {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    private boolean isEmpty() {
        return healed.isEmpty() && others.isEmpty();
    }

    /** Before the failback is settled a balancer may not have found its servers well again. */
    private void lookAtNode(NodeLife life, String victim, long firedUs, long endUs, boolean isSettled) {
        BalancerState before = life.lastBefore(firedUs);
        if (before == null) {
            return;
        }
        String node = life.node();
        List<WitnessCheck> ofNode = node.equals(victim) ? healed : others;
        if (!life.isAskedAt(endUs, firedUs)) {
            ofNode.add(new WitnessCheck("answers", null, node + " was not scraped at the end"));
            return;
        }
        BalancerState after = life.lastBefore(endUs + 1);
        if (after == null || life.isSilentAt(endUs, firedUs)) {
            ofNode.add(new WitnessCheck("answers", false, "no scrape of " + node + " succeeds any more"));
            return;
        }
        ofNode.add(new WitnessCheck("answers", true, node + " answers scrapes"));
        if (!isSettled) {
            return;
        }
        Set<String> changed = new TreeSet<>();
        before.frontends().forEach((name, status) -> {
            if (!status.equals(after.frontends().get(name))) {
                changed.add(name);
            }
        });
        if (!before.frontends().isEmpty()) {
            String text = changed.isEmpty()
                    ? "frontends as before"
                    : node + ": frontends " + String.join(", ", changed) + " are not as before";
            ofNode.add(new WitnessCheck("frontends", changed.isEmpty(), text));
        }
        Set<String> gone = new TreeSet<>(before.serversUp());
        gone.removeAll(after.serversUp());
        for (String name : gone) {
            String status = after.servers().getOrDefault(name, "gone");
            (serverOf(name).equals(victim) ? healed : others)
                    .add(new WitnessCheck("servers", false, node + ": " + name + " is " + status + ", and was up"));
        }
        if (!before.serversUp().isEmpty() && gone.isEmpty()) {
            (victim.isEmpty() ? healed : others)
                    .add(new WitnessCheck("servers", true, node + ": the same servers are up"));
        }
    }

    private void lookAtAddress(Run run, Ownership ownership, long endUs) {
        Set<String> balancers = new TreeSet<>(run.target().balancers());
        if (balancers.size() < 2 || !ownership.nodes().containsAll(balancers)) {
            return;
        }
        List<String> holders = balancers.stream()
                .filter(node -> ownership.holdsAt(node, endUs))
                .toList();
        if (holders.size() != 1) {
            String nodes = holders.isEmpty() ? "no node" : String.join(" and ", holders);
            others.add(new WitnessCheck("one_holder", false, nodes + " held the address at the end"));
            return;
        }
        String holder = holders.get(0);
        others.add(new WitnessCheck("one_holder", true, holder + " alone held the address at the end"));
        FaultRun fault = run.fault();
        if (balancers.contains(String.valueOf(fault.master()))
                && fault.prediction().failbackSettledMs() != null) {
            boolean back = holder.equals(fault.master());
            String text = "the address is with " + holder + (back ? "" : ", and was to return to " + fault.master());
            others.add(new WitnessCheck("returned", back, text));
        }
    }
}
