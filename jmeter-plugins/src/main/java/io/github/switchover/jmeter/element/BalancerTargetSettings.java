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
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.util.JMeterUtils;
import org.jspecify.annotations.Nullable;

/** Reads the settings of a run from the fields of a Balancer Target. */
final class BalancerTargetSettings {

    static final String TARGET_PROPERTY = "switchover.target";
    static final String USUAL_OUT = "runs";

    /** The property that confirms a fault, if it was typed on JMeter's command line: {@link ArmingCheck}. */
    static final String ARMED_PROPERTY = "switchover.armed";

    /** The property for a dry run, which makes all steps except the fault. */
    static final String DRY_RUN_PROPERTY = "switchover.dry.run";

    static final String INFLUX_PROPERTY = "switchover.influx";
    static final String WAIT_PROPERTY = "switchover.influx_wait";
    private static final String USUAL_NAME = "jmeter";

    /** Refuses JMeter properties of earlier versions, and fields that contain the name of such a property. */
    static void refuseFormerNames(TestElement element) {
        FormerNames.PROPERTIES.forEach((former, advice) -> {
            String field = element.getPropertyAsString(former.substring(former.indexOf('.') + 1));
            if (!field.isBlank() || !JMeterUtils.getPropDefault(former, "").isBlank()) {
                throw new UsageException(former + " " + advice);
            }
        });
    }

    /** {@code kills}: the faults that the plan's Master Kills may fire. */
    static DrillSettings of(BalancerTarget element, Set<String> kills) {
        refuseFormerNames(element);
        Field fault = field(element, "fault");
        String name = field(element, "runName").orElse(fault.orElse(nameOfPlan()));
        Target target = target(element.text("targetFile"));
        Field at = field(element, "faultAt");
        DrillSettings.FaultPlan plan = faultPlan(fault, at, field(element, "healAt"));
        DrillSettings unarmed = new DrillSettings(
                new DrillSettings.RunOrigin(path(field(element, "out"), USUAL_OUT), name, commandOfThisJvm()),
                target,
                new DrillSettings.ProbeChoice(
                        field(element, "probeRate").number(),
                        field(element, "timeoutConnect").seconds(),
                        field(element, "timeoutRead").seconds(),
                        field(element, "late").seconds(DrillSettings.LATE_S),
                        field(element, "scrapeInterval").seconds(DrillSettings.SCRAPE_S)),
                new DrillSettings.FaultChoice(
                        Arming.UNCONFIRMED,
                        Stream.of(Allowance.values())
                                .filter(one -> isSet(one.property()))
                                .collect(Collectors.toSet()),
                        isSet(DRY_RUN_PROPERTY),
                        plan,
                        !kills.isEmpty()),
                field(element, "limits").list(),
                streamTo(new Field("", element.text("influx")).orElse(""), target.influx()));
        // The user is asked last, after all values were checked.
        return unarmed.armed(arming(new ArmingCheck(element.keyboard(), target, plan, kills)));
    }

    /** Asks the user. The user is not asked in a dry run, in the lab, or if another process fires the fault. */
    private static Arming arming(ArmingCheck check) {
        boolean isOurs = check.target().lab() == null
                && !isSet(DRY_RUN_PROPERTY)
                && !Runs.ofThisJvm().isConducted();
        return isOurs ? check.arming() : Arming.UNCONFIRMED;
    }

    private static boolean isSet(String property) {
        return new Field("", JMeterUtils.getPropDefault(property, "")).isTrue();
    }

    private static List<String> commandOfThisJvm() {
        return Stream.concat(Stream.of("jmeter"), CommandLine.ownWords().stream())
                .toList();
    }

    /** Loads the target that a field names. A path is relative to the folder in which JMeter was started. */
    static Target target(String text) {
        Field file = new Field(BalancerTarget.class, "targetFile", text);
        if (file.isEmpty()) {
            throw new UsageException(
                    "no target file is set: fill in the field " + file.name() + " of Balancer Target, or"
                            + " start JMeter with -J" + TARGET_PROPERTY + "=FILE; 'switchover lab up' writes one");
        }
        return TargetFile.load(path(file, ""));
    }

    private static DrillSettings.@Nullable FaultPlan faultPlan(Field fault, Field at, Field healAt) {
        if (at.isEmpty()) {
            if (!healAt.isEmpty()) {
                throw new UsageException("a time to heal is set, but no time to fire: fill in " + at.name());
            }
            return null;
        }
        if (fault.isEmpty()) {
            throw new UsageException("a time to fire is set, but no fault: name a fault of the target file");
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

    /** Returns the name of the plan's file without its extension. */
    static String nameOfPlan() {
        String script = CurrentTest.planFile();
        if (script == null || script.isBlank()) {
            return USUAL_NAME;
        }
        return script.endsWith(".jmx") ? script.substring(0, script.length() - 4) : script;
    }

    /** Returns the settings of the database. Null: none is set, or another process streams the points. */
    static @Nullable StreamSettings streamTo(String url, @Nullable InfluxSettings file) {
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
