package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.ServerStatus;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.faults.FaultTraits;
import io.github.switchover.jmeter.run.CutPhase;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.WitnessCheck;
import io.github.switchover.jmeter.run.WitnessCheck.Effect;
import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Did the fault do anything? Said by witnesses that know nothing of its commands: a kill of a mistyped service kills
 * nothing, and a check that is always true confirms it. A witness that contradicts a command wins.
 *
 * @param faulted from the fault to its heal, or to the end
 * @param outage null without a metronome
 */
record FaultEffect(
        Run run, Span faulted, Outage outage, Ownership ownership, Map<String, NodeLife> lives, AnswerWitness answers) {

    /** What a fault changes that its own commands do not look at. */
    enum EffectWitness {
        /** The process that answers on the victim ended, or is another one. */
        EPOCH,
        /** A frontend of the victim changed its status. */
        FRONTEND,
        /** A balancer marked the victim down, sent it less, or got its answers later. */
        SERVER,
        /** Another node got the address. */
        OWNER,
        /** The victim stopped to answer scrapes. */
        SCRAPES,
        /** Requests were impaired, or another balancer answered them. Their absence proves nothing. */
        PROBES;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        /**
         * It looks at the very thing that the fault changes: what it denies did not happen, also where something else was seen. The
         * others deny only where nothing else was seen either: an address may stay because the backup is broken.
         */
        boolean isCertain() {
            return this == EPOCH || this == FRONTEND || this == SCRAPES;
        }
    }

    /** A backend that gets less than this part of its share from before was taken out. */
    private static final double LESS = 0.5;

    /** Of a fault that names no witnesses each kind may say that it saw something, and none that it did not. */
    Effect effect() {
        List<EffectWitness> named = named();
        List<WitnessCheck> checks = named.size() > 1
                ? named.stream().map(this::check).toList()
                : possible().stream()
                        .map(this::check)
                        .map(FaultEffect::onlySeen)
                        .toList();
        return new Effect(seen(checks), checks);
    }

    /** The witnesses of the fault, the probes last: those that the run names, else those of its mechanism. */
    private List<EffectWitness> named() {
        List<EffectWitness> named = known(run.fault().witnesses());
        List<EffectWitness> kinds =
                named.isEmpty() ? known(FaultTraits.of(run.fault().name()).witnesses()) : named;
        return Stream.concat(
                        kinds.stream().filter(kind -> kind != EffectWitness.PROBES), Stream.of(EffectWitness.PROBES))
                .toList();
    }

    private static List<EffectWitness> known(List<String> labels) {
        return labels.stream()
                .flatMap(label -> Stream.of(EffectWitness.values())
                        .filter(kind -> kind.label().equals(label)))
                .toList();
    }

    private List<EffectWitness> possible() {
        return run.fault().kind().equals(FaultRun.BACKEND)
                ? List.of(EffectWitness.SERVER, EffectWitness.PROBES)
                : List.of(
                        EffectWitness.EPOCH,
                        EffectWitness.FRONTEND,
                        EffectWitness.SCRAPES,
                        EffectWitness.OWNER,
                        EffectWitness.PROBES);
    }

    private static WitnessCheck onlySeen(WitnessCheck check) {
        return Boolean.TRUE.equals(check.holds()) ? check : new WitnessCheck(check.name(), null, check.text());
    }

    private static Boolean seen(List<WitnessCheck> checks) {
        boolean denied = Stream.of(EffectWitness.values())
                .filter(EffectWitness::isCertain)
                .anyMatch(kind -> checks.stream()
                        .anyMatch(check -> check.name().equals(kind.label()) && Boolean.FALSE.equals(check.holds())));
        if (denied) {
            return false;
        }
        if (checks.stream().anyMatch(check -> Boolean.TRUE.equals(check.holds()))) {
            return true;
        }
        return checks.stream().anyMatch(check -> Boolean.FALSE.equals(check.holds())) ? (Boolean) false : null;
    }

    private WitnessCheck check(EffectWitness kind) {
        Saying said = switch (kind) {
            case EPOCH -> epoch();
            case SCRAPES -> scrapes();
            case FRONTEND -> frontend();
            case SERVER -> server();
            case OWNER -> owner();
            case PROBES -> probes();
        };
        return new WitnessCheck(kind.label(), said.holds, said.text);
    }

    /** What one of them says; {@code holds} as in {@link WitnessCheck}. */
    private record Saying(Boolean holds, String text) {}

    private Saying epoch() {
        String victim = run.fault().hit();
        NodeLife life = lives.get(victim);
        BalancerState before = life == null ? null : life.lastBefore(faulted.fromUs());
        if (before == null) {
            return new Saying(null, victim + " was not scraped before the fault");
        }
        if (life.between(faulted).stream().anyMatch(state -> !state.epoch().equals(before.epoch()))) {
            return new Saying(true, "another process answered on " + victim);
        }
        if (life.isSilentAt(faulted.toUs(), faulted.fromUs())) {
            return new Saying(true, "the process on " + victim + " stopped to answer");
        }
        if (!isKnownAfterTheKill(life)) {
            return new Saying(null, victim + " was not scraped between the fault and its heal");
        }
        return new Saying(false, "the same process answered on " + victim + " all the time");
    }

    private Saying scrapes() {
        String victim = run.fault().hit();
        NodeLife life = lives.get(victim);
        if (life == null || life.lastBefore(faulted.fromUs()) == null) {
            return new Saying(null, victim + " was not scraped before the fault");
        }
        if (life.isSilentWithin(faulted)) {
            return new Saying(true, victim + " stopped to answer scrapes");
        }
        return isKnownAfterTheKill(life)
                ? new Saying(false, victim + " answered its scrapes all the time")
                : new Saying(null, victim + " was not scraped between the fault and its heal");
    }

    /** What was seen before the kill was done says nothing of its effect. */
    private boolean isKnownAfterTheKill(NodeLife life) {
        Long killedUs = run.plan().firedToUs();
        long fromUs = killedUs == null ? faulted.fromUs() : killedUs;
        return !life.between(new Span(Math.min(fromUs, faulted.toUs()), faulted.toUs()))
                .isEmpty();
    }

    private Saying frontend() {
        String victim = run.fault().hit();
        NodeLife life = lives.get(victim);
        BalancerState before = life == null ? null : life.lastBefore(faulted.fromUs());
        List<BalancerState> states = life == null ? List.of() : life.between(faulted);
        if (before == null || before.frontends().isEmpty() || states.isEmpty()) {
            return new Saying(null, "no frontend of " + victim + " was seen before and after the fault");
        }
        for (BalancerState state : states) {
            for (Map.Entry<String, String> entry : state.frontends().entrySet()) {
                String status = before.frontends().getOrDefault(entry.getKey(), entry.getValue());
                if (!status.equals(entry.getValue())) {
                    return new Saying(true, victim + ": frontend " + entry.getKey() + " became " + entry.getValue());
                }
            }
        }
        return new Saying(false, "every frontend of " + victim + " kept its status");
    }

    private Saying server() {
        String victim = run.fault().hit();
        boolean known = false;
        for (NodeLife life : lives.values()) {
            BalancerState before = life.lastBefore(faulted.fromUs());
            for (BalancerState state : before == null ? List.<BalancerState>of() : life.between(faulted)) {
                for (Map.Entry<String, String> entry : state.servers().entrySet()) {
                    if (!PairCheck.serverOf(entry.getKey()).equals(victim)) {
                        continue;
                    }
                    known = true;
                    boolean wasUp = ServerStatus.isUp(before.servers().getOrDefault(entry.getKey(), ""));
                    if (wasUp && !ServerStatus.isUp(entry.getValue())) {
                        return new Saying(true, life.node() + ": " + victim + " became " + entry.getValue());
                    }
                }
            }
        }
        Double share = answers.share();
        if (share == null) {
            return known
                    ? new Saying(false, victim + " stayed up")
                    : new Saying(null, victim + " gave no answer before the fault");
        }
        if (share < LESS) {
            return new Saying(true, victim + " got " + Numbers.percent(share, 0) + " of its share from before");
        }
        return answers.isSlower()
                ? new Saying(true, victim + " answered later than before")
                : new Saying(false, victim + " answered as before");
    }

    private Saying owner() {
        String master = run.fault().master() == null ? "" : run.fault().master();
        List<String> others = ownership.nodes().stream()
                .filter(node -> !node.equals(master))
                .sorted()
                .toList();
        for (String node : others) {
            if (ownership.of(node).stream()
                    .anyMatch(change -> faulted.contains(change.atUs()) && change.takesAddress())) {
                return new Saying(true, node + " got the address");
            }
        }
        boolean cutShort =
                run.ending().truncated().stream().anyMatch(cut -> cut.phase().equals(CutPhase.HOLD));
        if (others.isEmpty() || cutShort) {
            return new Saying(null, "no witness of the other nodes, or too short a time to see the address move");
        }
        return new Saying(false, String.join(" and ", others) + " never got the address");
    }

    private Saying probes() {
        if (outage != null && !outage.gaps().isEmpty()) {
            return new Saying(true, Numbers.grouped(outage.impaired()) + " probes were impaired");
        }
        if (answers.hasAnotherBalancerAnswered()) {
            return new Saying(true, "another balancer answered");
        }
        return answers.failed() > 0
                ? new Saying(true, Numbers.grouped(answers.failed()) + " requests failed")
                : new Saying(null, "no request was impaired");
    }
}
