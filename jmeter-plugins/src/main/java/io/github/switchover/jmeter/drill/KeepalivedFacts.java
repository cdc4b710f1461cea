package io.github.switchover.jmeter.drill;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.WholeFile;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What {@code switchover report} needs to know of the nodes' Keepalived, to predict what a fault costs. */
final class KeepalivedFacts {

    /** What may not leave the node: the run directory becomes an artefact of a build. */
    private static final Pattern PASSWORD =
            Pattern.compile("(?dm)((?:^|[ \\t{}])(?:auth_pass|auth_key|smtp_password|password|notify_password)[ \\t]+)"
                    + "(?:\"(?:\\\\.|[^\"\\\\\\n])*+\"|\\$\\{[^{}\\n]*+}|[^{}\\n])*?(?=[ \\t]*(?:[{}\\n]|\\z))");

    private static final Pattern USED_NAME = Pattern.compile("\\$\\{?([A-Za-z0-9_]+)");

    private KeepalivedFacts() {}

    /** By node: its settings, or the name of the copy of its configuration in the run directory. */
    static Map<String, JsonElement> of(Target target) {
        Map<String, JsonElement> facts = new LinkedHashMap<>();
        for (Node node : target.nodes()) {
            if (node.keepalived() != null) {
                facts.put(node.name(), Json.tree(node.keepalived()));
            } else if (node.keepalivedCopy() != null) {
                facts.put(node.name(), new JsonPrimitive(nameOf(node)));
            }
        }
        return facts;
    }

    /** The configurations that the target file names, as they are now. Without one nothing can be predicted. */
    static void copy(Target target, Path directory, RunRecord record) {
        for (Node node : target.nodes()) {
            if (node.keepalived() == null && node.keepalivedCopy() != null) {
                try {
                    String conf = WholeFile.read(node.keepalivedCopy());
                    WholeFile.write(directory.resolve(nameOf(node)), withoutPasswords(conf));
                } catch (IOException | RunDirectoryException error) {
                    record.warn(node.name() + ": nothing can be predicted: " + error.getMessage());
                }
            }
        }
    }

    /** What a password is made of by {@code $NAME=…} is hidden, too. */
    static String withoutPasswords(String conf) {
        Deque<String> names = new ArrayDeque<>();
        PASSWORD.matcher(conf).results().forEach(password -> addUsed(names, password.group()));
        String shown = PASSWORD.matcher(conf).replaceAll("$1***");
        Set<String> hidden = new HashSet<>();
        while (!names.isEmpty()) {
            String name = names.remove();
            if (hidden.add(name)) {
                Pattern defined = Pattern.compile("(?dm)^([ \\t]*\\$" + name + "[ \\t]*=).*$");
                defined.matcher(shown).results().forEach(value -> addUsed(names, value.group()));
                shown = defined.matcher(shown).replaceAll("$1***");
            }
        }
        return shown;
    }

    private static void addUsed(Deque<String> names, String text) {
        USED_NAME.matcher(text).results().forEach(used -> names.add(used.group(1)));
    }

    private static String nameOf(Node node) {
        return "keepalived-" + node.name() + ".conf";
    }
}
