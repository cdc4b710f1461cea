package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.drill.DrillSettings;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.engine.CommandLine;
import io.github.switchover.jmeter.engine.CurrentTest;
import io.github.switchover.jmeter.faults.Preflight.Allowance;
import io.github.switchover.jmeter.faults.Staging.Arming;
import io.github.switchover.jmeter.run.FormerNames;
import io.github.switchover.jmeter.streaming.StreamSettings;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.target.Target.InfluxSettings;
import io.github.switchover.jmeter.target.TargetFile;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.jmeter.util.JMeterUtils;

/** The settings that the fields of a Balancer Target describe. */
final class BalancerTargetSettings {

    static final String TARGET_PROPERTY = "switchover.target";
    static final String USUAL_OUT = "runs";

    /** A fault at a real target is meant. Only typed at the start of JMeter: {@link ArmingCheck}. */
    static final String ARMED_PROPERTY = "switchover.armed";

    /** Everything but the kill is done. */
    static final String DRY_RUN_PROPERTY = "switchover.dry.run";

    /** To plans of earlier versions, which made them in JMeter. */
    static final String NO_CHANGES =
            "JMeter makes no changes: 'switchover change NAME --generator jmeter --plan FILE.jmx'"
                    + " makes them beside its load";

    private static final String CHANGE_PROPERTY = "switchover.change";
    private static final String USUAL_NAME = "jmeter";

    private BalancerTargetSettings() {}

    /** Refuses the property of earlier versions that made a link to the run. */
    static void refuseLink() {
        if (!JMeterUtils.getPropDefault("switchover.link", "").isBlank()) {
            throw new UsageException("switchover.link makes no link any more: name an empty folder for the run with"
                    + " -Jswitchover.out=DIR, and judge DIR/*");
        }
    }

    /** {@code kills}: the faults that the plan's Master Kills may fire. */
    static DrillSettings of(BalancerTarget element, Set<String> kills) {
        if (!element.getPropertyAsString("change").isBlank()
                || !JMeterUtils.getPropDefault(CHANGE_PROPERTY, "").isBlank()) {
            throw new UsageException(NO_CHANGES);
        }
        refuseLink();
        FormerNames.PROPERTIES.forEach((former, present) -> {
            String key = former.substring(former.indexOf('.') + 1);
            if (!element.getPropertyAsString(key).isBlank()
                    || !JMeterUtils.getPropDefault(former, "").isBlank()) {
                throw new UsageException(former + " is now called " + present);
            }
        });
        Field fault = field(element, "fault");
        String name = field(element, "runName").orElse(fault.orElse(nameOfPlan()));
        Target target = target(element.text("targetFile"));
        Field at = field(element, "faultAt");
        DrillSettings.FaultPlan plan = faultPlan(fault, at, field(element, "healAt"));
        DrillSettings unarmed = new DrillSettings(
                new DrillSettings.RunOrigin(
                        path(field(element, "out"), USUAL_OUT),
                        name,
                        field(element, "seed").whole(),
                        commandOfThisJvm()),
                target,
                new DrillSettings.ProbeChoice(
                        field(element, "probeRate").number(),
                        field(element, "keptRate").number(0),
                        field(element, "timeoutConnect").seconds(),
                        field(element, "timeoutRead").seconds(),
                        field(element, "late").seconds(DrillSettings.LATE_S),
                        field(element, "scrapeInterval").seconds(DrillSettings.SCRAPE_S)),
                new DrillSettings.FaultChoice(
                        Arming.NOT_SAID,
                        Stream.of(Allowance.values())
                                .filter(one -> isSaid(one.property()))
                                .collect(Collectors.toSet()),
                        isSaid(DRY_RUN_PROPERTY),
                        plan,
                        !kills.isEmpty()),
                field(element, "limits").list(),
                stream(element, target));
        // Only now: a wrong value is refused before anybody is asked whether to fire.
        return unarmed.armed(arming(new ArmingCheck(element.keyboard(), target, plan, kills)));
    }

    /** Asks the user, unless nothing is fired for real or another process fires. */
    private static Arming arming(ArmingCheck check) {
        boolean isOurs = check.target().lab() == null
                && !isSaid(DRY_RUN_PROPERTY)
                && !Runs.ofThisJvm().isConducted();
        return isOurs ? check.arming() : Arming.NOT_SAID;
    }

    private static boolean isSaid(String property) {
        return new Field("", JMeterUtils.getPropDefault(property, "")).isTrue();
    }

    private static List<String> commandOfThisJvm() {
        return Stream.concat(Stream.of("jmeter"), CommandLine.publicWords().stream())
                .toList();
    }

    private static StreamSettings stream(BalancerTarget element, Target target) {
        return StreamProperties.of(new Field("", element.text("influx")).orElse(""), target.influx());
    }

    /** The target that a field names; a path is relative to the folder in which JMeter was started. */
    static Target target(String text) {
        Field file = new Field(BalancerTarget.class, "targetFile", text);
        if (file.isEmpty()) {
            throw new UsageException(
                    "no target file is named: fill in the field " + file.name() + " of Balancer Target, or"
                            + " start JMeter with -J" + TARGET_PROPERTY + "=FILE; 'switchover lab up' writes one");
        }
        return TargetFile.load(path(file, ""));
    }

    private static DrillSettings.FaultPlan faultPlan(Field fault, Field at, Field healAt) {
        if (at.isEmpty()) {
            if (!healAt.isEmpty()) {
                throw new UsageException("a time to heal, but none to fire: fill in " + at.name());
            }
            return null;
        }
        if (fault.isEmpty()) {
            throw new UsageException("a time to fire, but no fault: name one of the target file's");
        }
        return new DrillSettings.FaultPlan(fault.orElse(""), at.seconds(0), healAt.seconds());
    }

    private static Field field(BalancerTarget element, String key) {
        return new Field(BalancerTarget.class, key, element.text(key));
    }

    static Path path(Field field, String usual) {
        try {
            return Path.of(field.orElse(usual));
        } catch (InvalidPathException error) {
            throw field.refusal(error.getReason());
        }
    }

    /** The plan's file without its ending. */
    static String nameOfPlan() {
        String script = CurrentTest.planFile();
        if (script == null || script.isBlank()) {
            return USUAL_NAME;
        }
        return script.endsWith(".jmx") ? script.substring(0, script.length() - 4) : script;
    }

    /** The properties for the database of a run's points. */
    static final class StreamProperties {

        static final String INFLUX_PROPERTY = "switchover.influx";
        static final String WAIT_PROPERTY = "switchover.influx_wait";

        private StreamProperties() {}

        /**
         * Null: no database, or another process conducts the run and streams it.
         *
         * @param url of a field; empty: the property's
         * @param file the target file's; null: it has none
         */
        static StreamSettings of(String url, InfluxSettings file) {
            if (Runs.ofThisJvm().isConducted()) {
                return null;
            }
            String property = JMeterUtils.getPropDefault(INFLUX_PROPERTY, "");
            String wait = JMeterUtils.getPropDefault(WAIT_PROPERTY, "");
            return StreamSettings.choose(
                    url.isEmpty() ? property.strip() : url,
                    file,
                    System::getenv,
                    new Field(WAIT_PROPERTY, wait).seconds(StreamSettings.WAIT_S));
        }
    }
}
