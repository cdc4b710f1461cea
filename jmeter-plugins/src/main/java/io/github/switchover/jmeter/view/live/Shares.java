package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.PointFormat;
import io.github.switchover.jmeter.judge.Phase;
import io.github.switchover.jmeter.run.RequestCounts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** Who answers how much: since the run began, in its phases, and in the last seconds; beside what weights promise. */
record Shares(List<AnswerSource> who, List<Stretch> stretches) {

    /** The last seconds of the load, whose share is told beside that of the whole run. */
    static final int RECENT_S = 10;

    /** A backend that has a weight and never answered is there, with 0. */
    List<Share> backends(Map<String, Double> weights) {
        return table(AnswerSource::backend, weights);
    }

    List<Share> balancers() {
        return table(AnswerSource::balancer, Map.of());
    }

    /** Requests by who answered them. */
    Map<String, Long> answeredBy() {
        return names(AnswerSource::answeredBy, totals(stretches));
    }

    List<PhaseCounts> byPhase(PhasesSoFar soFar) {
        List<Phase> phases = soFar.phases();
        List<List<Stretch>> members = new ArrayList<>();
        phases.forEach(phase -> members.add(new ArrayList<>()));
        for (Stretch stretch : phases.isEmpty() ? List.<Stretch>of() : stretches) {
            members.get(soFar.indexAt(stretch.atS())).add(stretch);
        }
        List<PhaseCounts> found = new ArrayList<>();
        for (int index = 0; index < phases.size(); index++) {
            List<Stretch> within = members.get(index);
            found.add(new PhaseCounts(
                    phases.get(index).name().label(),
                    counted(within.stream().map(Stretch::requests).reduce(EndedCounts.NONE, EndedCounts::plus)),
                    counted(within.stream().map(Stretch::probes).reduce(EndedCounts.NONE, EndedCounts::plus))));
        }
        return List.copyOf(found);
    }

    private static RequestCounts counted(EndedCounts ended) {
        return RequestCounts.of(ended.total(), ended.failed(), ended.late());
    }

    private List<Share> table(Function<AnswerSource, String> name, Map<String, Double> weights) {
        Map<String, Long> whole = names(name, totals(stretches));
        Map<String, Long> recent = names(name, totals(recent()));
        long allWhole = sum(whole);
        long allRecent = sum(recent);
        double allWeight =
                weights.values().stream().mapToDouble(Double::doubleValue).sum();
        TreeSet<String> named = new TreeSet<>(PointFormat.CODE_POINT_ORDER);
        named.addAll(whole.keySet());
        named.addAll(weights.keySet());
        return named.stream()
                .map(one -> new Share(
                        one,
                        whole.getOrDefault(one, 0L),
                        share(whole.getOrDefault(one, 0L), allWhole),
                        share(recent.getOrDefault(one, 0L), allRecent),
                        weights.containsKey(one) && allWeight > 0 ? (Double) (weights.get(one) / allWeight) : null))
                .toList();
    }

    private List<Stretch> recent() {
        long newestS = stretches.stream()
                .filter(stretch -> stretch.requests().total() > 0)
                .mapToLong(Stretch::endS)
                .max()
                .orElse(0);
        return stretches.stream()
                .filter(stretch -> stretch.atS() >= newestS - RECENT_S)
                .toList();
    }

    private static Map<Integer, Long> totals(List<Stretch> stretches) {
        Map<Integer, Long> totals = new HashMap<>();
        for (Stretch stretch : stretches) {
            stretch.bySeries().forEach((series, ended) -> totals.merge(series, ended.total(), Long::sum));
        }
        return totals;
    }

    private Map<String, Long> names(Function<AnswerSource, String> name, Map<Integer, Long> totals) {
        Map<String, Long> found = new TreeMap<>(PointFormat.CODE_POINT_ORDER);
        totals.forEach((series, number) -> {
            String one = name.apply(who.get(series));
            if (!one.isEmpty()) {
                found.merge(one, number, Long::sum);
            }
        });
        return found;
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    private static Double share(long part, long all) {
        return all == 0 ? null : (Double) ((double) part / all);
    }
}
