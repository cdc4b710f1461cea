package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.PlanTimes.CutPhase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code run.json}: the description of the run, with methods for the fields that the jar reads. */
public record Run(Tree tree) {

    public static final int SCHEMA = 2;

    private static final double LATE_MS = 1000.0;

    /** Creates a run with only an id and a name. */
    public static Run named(String id, String name) {
        return new Run(Tree.of(
                "id", id,
                "name", name,
                "schema", SCHEMA,
                "versions", Map.of(),
                "command", List.of(),
                "target", Map.of(),
                "settings", Map.of(),
                "seed", null,
                "plan", Map.of(),
                "fault", null,
                "clocks", List.of(),
                "generator", Map.of(),
                "workers", List.of(),
                "parts", List.of(),
                "warnings", List.of(),
                "streaming", null,
                "stopped", "",
                "dry_run", false,
                "truncated", List.of(),
                "seals", Map.of()));
    }

    /** Returns this run; throws if a field that the jar reads has the wrong type. */
    Run checked() {
        for (String time : plan().tree().names()) {
            plan().tree().whole(time);
        }
        List.of(fault().name(), fault().kind(), fault().error(), fault().hit(), id(), name(), stopped());
        List.of(
                limits(),
                workers(),
                balancers(),
                isCutShort(CutPhase.HOLD),
                isDryRun(),
                isProbed(),
                lateUs(),
                isDedicated());
        List.of(tree.texts("parts"), tree.texts("warnings"), tree.list("clocks"), generator(), fault().sources());
        tree.child("seals").names().forEach(this::seals);
        return this;
    }

    public Run with(String field, Object value) {
        return new Run(tree.with(field, value));
    }

    public Run with(PlanTimes plan) {
        return with("plan", plan.tree());
    }

    public Run with(FaultRun fault) {
        return with("fault", fault.tree());
    }

    public Run setting(String name, @Nullable Object value) {
        return with("settings", settings().with(name, value));
    }

    /** Returns a copy with the values appended to a list, without duplicates. */
    public Run adding(String field, List<?> values) {
        return new Run(tree.adding(field, values));
    }

    public Run sealed(String file, Collection<?> seals) {
        List<Object> all = new ArrayList<>(tree.child("seals").list(file));
        all.addAll(seals);
        return with("seals", tree.child("seals").with(file, all));
    }

    public Run sealed(Map<String, Seal> seals) {
        Run run = this;
        for (Map.Entry<String, Seal> seal : seals.entrySet()) {
            run = run.sealed(seal.getKey(), List.of(seal.getValue()));
        }
        return run;
    }

    public @Nullable String id() {
        return tree.text("id");
    }

    public @Nullable String name() {
        return tree.text("name");
    }

    public PlanTimes plan() {
        return new PlanTimes(tree.child("plan"));
    }

    /** The fault of the run; an empty fault if the run has none. */
    public FaultRun fault() {
        return new FaultRun(tree.child("fault"));
    }

    /** True for a run of changes. */
    public boolean isOfChanges() {
        return tree.has("change") || settings().has("change");
    }

    public Tree settings() {
        return tree.child("settings");
    }

    public boolean isProbed() {
        Double rate = settings().number("probe_rate");
        return rate == null || rate != 0;
    }

    /** The rate of the probes on fresh connections, per second. */
    public @Nullable Double probeRate() {
        return isProbed() ? settings().number("probe_rate") : null;
    }

    /** The longest time in microseconds from the due time to a good answer that is not late. */
    public long lateUs() {
        Double lateMs = settings().number("late_ms");
        return (long) Math.rint((lateMs == null ? LATE_MS : lateMs) * Units.US_PER_MS);
    }

    public List<String> limits() {
        return settings().texts("limits");
    }

    /** The statistics of the prober about itself. */
    public Tree generator() {
        return tree.child("generator");
    }

    /** The processes that generated the load. */
    public List<Tree> workers() {
        return tree.list("workers");
    }

    /** The seals of a file; empty if the file has no seal, or only seals of an earlier version. */
    public List<Seal> seals(String file) {
        List<Seal> seals = tree.child("seals").list(file).stream()
                .map(seal -> new Seal(seal.whole("from_byte", -1), seal.whole("bytes", -1), seal.text("crc32")))
                .toList();
        return seals.stream().allMatch(Seal::isOne) ? seals : List.of();
    }

    public String stopped() {
        return tree.text("stopped", "");
    }

    /** True for a dry run: all steps except the fault were done. */
    public boolean isDryRun() {
        return tree.is("dry_run");
    }

    /** True if all traffic of the target comes from this test. */
    public boolean isDedicated() {
        return tree.child("target").is("dedicated");
    }

    public List<String> balancers() {
        return balancers(false);
    }

    /** True if the run has at least two balancers, and the plan has a source of the address owner for each balancer. */
    public boolean isOwnershipObserved() {
        return balancers().size() > 1 && balancers().equals(balancers(true));
    }

    private List<String> balancers(boolean observed) {
        return tree.child("target").list("nodes").stream()
                .filter(node -> "balancer".equals(node.text("role")) && (!observed || node.is("vip_owner")))
                .filter(node -> node.has("name"))
                .map(node -> node.text("name"))
                .toList();
    }

    /** True if the phase was cut short. Earlier versions wrote a sentence, which may be about any phase. */
    public boolean isCutShort(String phase) {
        return tree.array("truncated").stream()
                .anyMatch(cut -> !cut.isJsonObject() || phase.equals(new Tree(cut.getAsJsonObject()).text("phase")));
    }
}
