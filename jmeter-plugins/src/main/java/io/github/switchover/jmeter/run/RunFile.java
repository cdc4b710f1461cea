package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.JsonReader;
import io.github.switchover.jmeter.core.JsonText;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.WholeFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads and writes {@code run.json}, whole or not at all, with the fields of Python's {@code rundir.py}. */
public final class RunFile {

    public static final int SCHEMA = 1;

    private RunFile() {}

    public static void write(Path directory, Run run) {
        WholeFile.write(directory.resolve(RunDirectory.RUN_FILE), JsonText.of(toJson(run)) + '\n');
    }

    public static Run read(Path directory) {
        Path path = directory.resolve(RunDirectory.RUN_FILE);
        try {
            return fromJson(JsonReader.object(WholeFile.read(path)));
        } catch (FileNotFoundException error) {
            if (Files.exists(path)) {
                throw new RunDirectoryException("cannot read " + path + ": " + Reason.of(error), error);
            }
            throw new RunDirectoryException(
                    directory + " is no run directory: it has no " + RunDirectory.RUN_FILE, error);
        } catch (IOException error) {
            throw new RunDirectoryException("cannot read " + path + ": " + Reason.of(error), error);
        } catch (IllegalArgumentException error) {
            throw new RunDirectoryException(
                    path + " is not a run description of schema " + SCHEMA + ": " + error.getMessage(), error);
        }
    }

    public static Map<String, Object> toJson(Run run) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("id", run.id());
        values.put("name", run.name());
        values.put("schema", SCHEMA);
        values.put("versions", run.versions());
        values.put("command", run.command());
        values.put("target", run.target());
        values.put("settings", run.settings());
        values.put("seed", run.seed());
        values.put("plan", toJson(run.plan()));
        values.put("fault", run.fault() == null ? null : toJson(run.fault()));
        values.put("clocks", run.clocks());
        values.put("generator", run.generator());
        values.put("access_logs", run.accessLogs());
        values.put("workers", run.workers());
        values.put("parts", run.parts());
        values.put("warnings", run.warnings());
        if (run.streaming() != null) {
            values.put("streaming", run.streaming());
        }
        values.put("truncated", run.truncated());
        return values;
    }

    private static Map<String, Object> toJson(PlanTimes plan) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("start_us", plan.startUs());
        values.put("fired_from_us", plan.firedFromUs());
        values.put("fired_to_us", plan.firedToUs());
        values.put("confirmed_us", plan.confirmedUs());
        values.put("heal_from_us", plan.healFromUs());
        values.put("heal_to_us", plan.healToUs());
        values.put("healed_us", plan.healedUs());
        values.put("end_us", plan.endUs());
        return values;
    }

    private static Map<String, Object> toJson(FaultRun fault) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("name", fault.name());
        values.put("kind", fault.kind());
        values.put("master", fault.master());
        values.put("backup", fault.backup());
        values.put("victim", fault.victim());
        values.put("master_source", fault.masterSource());
        values.put("predict_low_ms", fault.predictLowMs());
        values.put("predict_high_ms", fault.predictHighMs());
        values.put("predict_reason", fault.predictReason());
        values.put("uniform", fault.uniform());
        values.put("failback_low_ms", fault.failbackLowMs());
        values.put("failback_high_ms", fault.failbackHighMs());
        values.put("error", fault.error());
        return values;
    }

    /**
     * What is not known to us is left out.
     *
     * @throws IllegalArgumentException which says what is wrong
     */
    public static Run fromJson(Map<String, Object> values) {
        RunFields run = new RunFields(values);
        RunFields plan = run.object("plan");
        return Run.builder(run.requiredText("id"), run.requiredText("name"))
                .versions(run.map("versions"))
                .command(run.texts("command"))
                .target(run.map("target"))
                .settings(run.map("settings"))
                .seed(run.whole("seed"))
                .plan(new PlanTimes(
                        plan.whole("start_us"),
                        plan.whole("fired_from_us"),
                        plan.whole("fired_to_us"),
                        plan.whole("confirmed_us"),
                        plan.whole("heal_from_us"),
                        plan.whole("heal_to_us"),
                        plan.whole("healed_us"),
                        plan.whole("end_us")))
                .fault(run.has("fault") ? fault(run.object("fault")) : null)
                .clocks(run.maps("clocks"))
                .generator(run.map("generator"))
                .accessLogs(run.map("access_logs"))
                .workers(run.maps("workers"))
                .parts(run.texts("parts"))
                .warnings(run.texts("warnings"))
                .streaming(run.has("streaming") ? run.map("streaming") : null)
                .truncated(run.texts("truncated"))
                .build();
    }

    private static FaultRun fault(RunFields fault) {
        String reason = fault.text("predict_reason");
        return new FaultRun(
                fault.requiredText("name"),
                fault.requiredText("kind"),
                fault.text("master"),
                fault.text("backup"),
                fault.text("victim"),
                fault.text("master_source"),
                fault.number("predict_low_ms"),
                fault.number("predict_high_ms"),
                reason == null ? "" : reason,
                fault.flag("uniform"),
                fault.number("failback_low_ms"),
                fault.number("failback_high_ms"),
                fault.text("error"));
    }
}
