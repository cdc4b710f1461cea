package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.view.live.Judgement.JudgedAnswers;
import io.github.switchover.jmeter.view.live.Judgement.JudgedBudget;
import io.github.switchover.jmeter.view.live.Judgement.JudgedCounts;
import io.github.switchover.jmeter.view.live.Judgement.JudgedOutage;
import io.github.switchover.jmeter.view.live.Judgement.JudgedPopulation;
import io.github.switchover.jmeter.view.live.Judgement.Prediction;
import io.github.switchover.jmeter.view.live.Judgement.Reconciliation;
import io.github.switchover.jmeter.view.live.Judgement.Step;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Makes a judgement of {@code verdict.json}, Java's or Python's. */
final class JudgementReader {

    private final JsonFields verdict;
    private final JsonFields told;

    private JudgementReader(JsonFields verdict, JsonFields told) {
        this.verdict = verdict;
        this.told = told;
    }

    static Judgement of(Map<String, Object> verdict) {
        return of(verdict, Map.of());
    }

    /** {@code told}: a verdict on the same run by {@code switchover report}, for what only that computes. */
    static Judgement of(Map<String, Object> verdict, Map<String, Object> told) {
        return new JudgementReader(JsonFields.of(verdict), JsonFields.of(told)).judgement();
    }

    private Judgement judgement() {
        JsonFields more = withReport("reconciliation");
        return new Judgement(
                verdict.flag("passed"),
                Boolean.TRUE.equals(verdict.flag("trusted")),
                verdict.texts("reasons"),
                verdict.texts("warnings"),
                verdict.objects("budgets").stream().map(this::budgetOrTold).toList(),
                outage("outage"),
                outage("failback"),
                prediction(withReport("prediction").object("prediction")),
                verdict.number("split_brain_ms"),
                population("probes"),
                population("samples"),
                distribution(),
                steps(),
                more.has("reconciliation") ? reconciliation(more.object("reconciliation")) : null);
    }

    private JsonFields withReport(String name) {
        return verdict.has(name) ? verdict : told;
    }

    /** A budget that cannot be told here may have been told by the report. */
    private JudgedBudget budgetOrTold(JsonFields budget) {
        JudgedBudget own = budget(budget);
        return own.passed() != null
                ? own
                : told.objects("budgets").stream()
                        .map(JudgementReader::budget)
                        .filter(other -> other.name().equals(own.name()) && other.passed() != null)
                        .findFirst()
                        .orElse(own);
    }

    private static JudgedBudget budget(JsonFields budget) {
        return new JudgedBudget(
                String.valueOf(budget.text("name")),
                budget.number("limit"),
                budget.number("value"),
                budget.text("unit"),
                budget.flag("passed"),
                budget.text("note"));
    }

    private JudgedOutage outage(String name) {
        if (!verdict.has(name)) {
            return null;
        }
        JsonFields outage = verdict.object(name);
        Double duration = outage.number("duration_ms");
        Double early = outage.number("early_ms");
        return new JudgedOutage(
                String.valueOf(outage.text("kind")),
                duration == null ? 0 : duration,
                early == null ? 0 : early,
                Boolean.TRUE.equals(outage.flag("censored")),
                Boolean.TRUE.equals(outage.flag("recovered")),
                outage.whole("to_us"),
                outage.number("loss_derived_ms"),
                outage.count("impaired"));
    }

    private static Prediction prediction(JsonFields found) {
        Double low = found.number("low_ms");
        return low == null ? null : new Prediction(low, found.number("high_ms"), found.flag("inside"));
    }

    private JudgedPopulation population(String name) {
        if (!verdict.has(name)) {
            return null;
        }
        JsonFields found = verdict.object(name);
        Map<String, JudgedCounts> byPhase = new LinkedHashMap<>();
        JsonFields phases = found.object("by_phase");
        phases.names().forEach(phase -> byPhase.put(phase, counted(phases.object(phase))));
        return new JudgedPopulation(counted(found), byPhase);
    }

    private static JudgedCounts counted(JsonFields found) {
        return new JudgedCounts(
                found.count("total"), found.count("failed"), found.count("late"), found.counts("by_kind"));
    }

    private Map<String, JudgedAnswers> distribution() {
        JsonFields phases = verdict.object("distribution").object("by_phase");
        Map<String, JudgedAnswers> found = new LinkedHashMap<>();
        for (String phase : phases.names()) {
            JsonFields kinds = phases.object(phase);
            found.put(phase, new JudgedAnswers(answers(kinds.object("backends")), answers(kinds.object("balancers"))));
        }
        return found;
    }

    private static Map<String, Long> answers(JsonFields names) {
        Map<String, Long> found = new LinkedHashMap<>();
        names.names().forEach(name -> found.put(name, names.object(name).count("count")));
        return found;
    }

    private List<Step> steps() {
        List<JsonFields> own = verdict.objects("anatomy");
        return (own.isEmpty() ? told.objects("anatomy") : own)
                .stream()
                        .map(step -> new Step(
                                String.valueOf(step.text("step")),
                                step.number("after_kill_ms"),
                                step.number("bound_ms"),
                                step.text("witness") == null ? "" : step.text("witness"),
                                Boolean.TRUE.equals(step.flag("order_undecided"))))
                        .toList();
    }

    /** What does not agree comes first: it is what somebody must look at. */
    private static Reconciliation reconciliation(JsonFields found) {
        List<Reconciliation.ReconciliationLine> lines = found.objects("lines").stream()
                .map(JudgementReader::line)
                .sorted(Comparator.comparing((Reconciliation.ReconciliationLine line) -> -zero(line.unexplained()))
                        .thenComparing(line -> zero(line.difference()) == 0))
                .toList();
        return new Reconciliation(
                Boolean.TRUE.equals(found.flag("exclusive")),
                found.whole("equal"),
                found.whole("explained"),
                found.whole("unexplained"),
                lines);
    }

    private static Reconciliation.ReconciliationLine line(JsonFields line) {
        String because = line.counts("explained_by").entrySet().stream()
                .filter(entry -> entry.getValue() != 0)
                .map(entry -> ViewText.count(entry.getValue()) + " " + entry.getKey())
                .collect(Collectors.joining("; "));
        return new Reconciliation.ReconciliationLine(
                String.valueOf(line.text("name")),
                line.text("node") == null ? "" : line.text("node"),
                line.whole("client"),
                line.whole("witness"),
                line.whole("difference"),
                line.whole("unexplained"),
                because);
    }

    private static long zero(Long value) {
        return value == null ? 0 : value;
    }
}
