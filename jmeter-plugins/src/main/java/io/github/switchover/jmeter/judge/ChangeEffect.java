package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.ChangeRun;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Whether changes took effect, by witnesses that their own commands have nothing to do with. */
final class ChangeEffect {

    /** A scrape comes each second, and the first may have been under way. */
    private static final long LOOKED_AT_US = 2 * Units.US_PER_S;

    private static final String CERTIFICATE_EVENT = "certificate";

    enum ChangeWitness {
        /** Scrapes: another process answers. */
        EPOCH,
        /** The answers of a patient load, which only a drill of the command line has. */
        WORKER,
        /** Scrapes: another status of a frontend, of a server, another weight. */
        FRONTEND,
        SERVER,
        WEIGHT,
        /** The address moved. */
        OWNER,
        /** Adverts on the wire: a node announces another VRRP priority than before. */
        PRIORITY,
        /** Fresh probes: they are shown another certificate than before. */
        CERTIFICATE;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What the witnesses of one change say.
     *
     * @param by true: it took effect; false: it did not; null: they could not tell
     */
    record SeenChange(ChangeRun change, Map<ChangeWitness, Boolean> by) {

        Boolean seen() {
            if (by.containsValue(true)) {
                return true;
            }
            return by.containsValue(false) ? (Boolean) false : null;
        }

        /** The witnesses that deny it. */
        String denied() {
            return by.entrySet().stream()
                    .filter(entry -> Boolean.FALSE.equals(entry.getValue()))
                    .map(entry -> entry.getKey().label())
                    .collect(Collectors.joining(", "));
        }
    }

    /** A moment, and what was told then. */
    private record Told<T>(long atUs, T what) {}

    private final List<ChangeRun> made;
    private final FaultRun described;
    private final Map<String, NodeLife> lives;
    private final Ownership ownership;
    private final Map<String, List<Told<Long>>> priorities = new LinkedHashMap<>();
    private final List<Told<String>> certificates = new ArrayList<>();

    /** {@code described}: what was made again and again; the points are in order of time. */
    ChangeEffect(List<ChangeRun> made, FaultRun described, List<Point> points) {
        this.made = made;
        this.described = described;
        lives = NodeLife.of(points);
        ownership = Ownership.of(points);
        points.forEach(this::hear);
    }

    /** It is looked at here, and by nothing else. */
    static boolean isCertificate(Point point) {
        return point.measurement().equals(Measurements.EVENT)
                && CERTIFICATE_EVENT.equals(point.tags().get("kind"));
    }

    /** A master that resigns announces 0, which is no priority. */
    private void hear(Point point) {
        long atUs = point.timeUs();
        if (isCertificate(point)) {
            certificates.add(new Told<>(atUs, point.tag("id")));
        } else if (point.measurement().equals(Measurements.ADVERT)
                && point.fields().get("priority") instanceof FieldValue.Whole priority
                && priority.value() != 0) {
            priorities
                    .computeIfAbsent(point.tag("node"), node -> new ArrayList<>())
                    .add(new Told<>(atUs, priority.value()));
        }
    }

    /**
     * Each change until the next one begins. One without named witnesses may be seen by any, and denied by none; one that
     * the end of the run cut short is not denied either.
     */
    List<SeenChange> seen(long endUs) {
        List<ChangeWitness> named = Stream.of(ChangeWitness.values())
                .filter(kind -> described.witnesses().contains(kind.label()))
                .toList();
        List<SeenChange> found = new ArrayList<>();
        for (int place = 0; place < made.size(); place++) {
            boolean isLast = place + 1 == made.size();
            long fromUs = made.get(place).fromUs();
            Span within = new Span(fromUs, isLast ? endUs : made.get(place + 1).fromUs());
            boolean denies = !named.isEmpty() && !(isLast && endUs - fromUs < LOOKED_AT_US);
            Map<ChangeWitness, Boolean> by = new EnumMap<>(ChangeWitness.class);
            for (ChangeWitness kind : named.isEmpty() ? List.of(ChangeWitness.values()) : named) {
                Boolean says = says(kind, within, undoneUs(place));
                by.put(kind, (denies || Boolean.TRUE.equals(says)) ? says : null);
            }
            found.add(new SeenChange(made.get(place), by));
        }
        return found;
    }

    /** When the change before began to be taken back, or was made. */
    private long undoneUs(int place) {
        if (place == 0) {
            return 0;
        }
        Long undoneUs = made.get(place - 1).undoing().undoFromUs();
        return undoneUs == null ? made.get(place - 1).fromUs() : undoneUs;
    }

    private Boolean says(ChangeWitness kind, Span within, long undoneUs) {
        return switch (kind) {
            case EPOCH -> scrapes(within, (before, state) -> !state.epoch().equals(before.epoch()), before -> true);
            case WORKER -> null;
            case FRONTEND -> values(within, BalancerState::frontends);
            case SERVER -> values(within, BalancerState::servers);
            case WEIGHT -> values(within, BalancerState::weights);
            case OWNER -> moved(within);
            case PRIORITY -> announced(within);
            case CERTIFICATE -> shown(within, undoneUs);
        };
    }

    private Boolean values(Span within, Function<BalancerState, Map<String, ?>> of) {
        return scrapes(
                within,
                (before, state) -> of.apply(before).entrySet().stream().anyMatch(known -> {
                    Object now = of.apply(state).get(known.getKey());
                    return now != null && !now.equals(known.getValue());
                }),
                before -> !of.apply(before).isEmpty());
    }

    /** Whether a scrape since shows what is another than before, on any node that was scraped before and since. */
    private Boolean scrapes(
            Span within,
            BiFunction<BalancerState, BalancerState, Boolean> isAnother,
            Function<BalancerState, Boolean> isKnown) {
        Boolean seen = null;
        for (NodeLife life : lives.values()) {
            BalancerState before = life.lastBefore(within.fromUs());
            List<BalancerState> since = life.between(within);
            if (before != null && !since.isEmpty() && isKnown.apply(before)) {
                seen = Boolean.TRUE.equals(seen) || since.stream().anyMatch(state -> isAnother.apply(before, state));
            }
        }
        return seen;
    }

    private Boolean moved(Span within) {
        Set<String> others = new TreeSet<>(ownership.nodes());
        others.remove(Objects.requireNonNullElse(described.master(), ""));
        if (others.isEmpty()) {
            return null;
        }
        return others.stream()
                .flatMap(node -> ownership.of(node).stream())
                .anyMatch(change -> within.contains(change.atUs()) && change.takesAddress());
    }

    private Boolean announced(Span within) {
        Boolean seen = null;
        for (List<Told<Long>> told : priorities.values()) {
            List<Told<Long>> before =
                    told.stream().filter(one -> one.atUs < within.fromUs()).toList();
            List<Told<Long>> since =
                    told.stream().filter(one -> within.contains(one.atUs)).toList();
            if (!before.isEmpty() && !since.isEmpty()) {
                Long last = before.get(before.size() - 1).what;
                seen = Boolean.TRUE.equals(seen) || since.stream().anyMatch(one -> !one.what.equals(last));
            }
        }
        return seen;
    }

    /** Several servers may show theirs in turns: it is none of those. */
    private Boolean shown(Span within, long undoneUs) {
        List<Told<String>> before =
                certificates.stream().filter(one -> one.atUs < within.fromUs()).toList();
        if (before.isEmpty()) {
            return null;
        }
        Set<String> known = before.stream()
                .filter(one -> one.atUs >= undoneUs)
                .map(Told::what)
                .collect(Collectors.toCollection(TreeSet::new));
        if (known.isEmpty()) {
            known.add(before.get(before.size() - 1).what);
        }
        return certificates.stream().anyMatch(one -> within.contains(one.atUs) && !known.contains(one.what));
    }
}
