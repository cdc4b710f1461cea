package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.WholeFile;
import io.github.switchover.jmeter.target.KeepalivedSettings;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** What {@code switchover report} needs to know of the nodes' Keepalived, to predict what a fault costs. */
final class KeepalivedFacts {

    /** What may not leave the node: the run directory becomes an artefact of a build. */
    private static final Pattern PASSWORD =
            Pattern.compile("(?m)^([ \\t]*(?:auth_pass|auth_key|smtp_password|password|notify_password)[ \\t]+).*$");

    private KeepalivedFacts() {}

    /** By node: its settings, or the name of the copy of its configuration in the run directory. */
    static Map<String, Object> of(Target target) {
        Map<String, Object> facts = new LinkedHashMap<>();
        for (Node node : target.nodes()) {
            if (node.keepalived() != null) {
                facts.put(node.name(), of(node.keepalived()));
            } else if (node.keepalivedCopy() != null) {
                facts.put(node.name(), nameOf(node));
            }
        }
        return facts;
    }

    /** The configurations that the target file names, as they are now. Who cannot read one predicts without it. */
    static void copy(Target target, Path directory, RunRecord record) {
        for (Node node : target.nodes()) {
            if (node.keepalived() == null && node.keepalivedCopy() != null) {
                try {
                    String conf = WholeFile.read(node.keepalivedCopy());
                    WholeFile.write(
                            directory.resolve(nameOf(node)),
                            PASSWORD.matcher(conf).replaceAll("$1***"));
                } catch (IOException | RunDirectoryException error) {
                    record.warn(node.name() + ": nothing can be predicted: " + error.getMessage());
                }
            }
        }
    }

    private static String nameOf(Node node) {
        return "keepalived-" + node.name() + ".conf";
    }

    /** By the names of Python's {@code vrrp.py}. */
    private static Map<String, Object> of(KeepalivedSettings settings) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("priority", settings.priority());
        facts.put("advert_int_s", settings.advertIntS());
        facts.put("version", settings.version());
        facts.put("preempt", settings.preempt());
        facts.put("preempt_delay_s", settings.preemptDelayS());
        facts.put("down_timer_adverts", settings.downTimerAdverts());
        facts.put("unicast", settings.unicast());
        facts.put("instance", settings.instance());
        facts.put("check", settings.check() == null ? null : of(settings.check()));
        return facts;
    }

    private static Map<String, Object> of(KeepalivedSettings.Check check) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("interval_s", check.intervalS());
        facts.put("timeout_s", check.timeoutS());
        facts.put("fall", check.fall());
        facts.put("rise", check.rise());
        facts.put("weight", check.weight());
        facts.put("by", check.by());
        return facts;
    }
}
