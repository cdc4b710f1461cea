package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Tree;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Why the word on a run is no better: a code with its figures, and the text that is made of them. */
public record VerdictReason(ReasonCode code, Tree figures, String text) {

    private static final Pattern PLACE = Pattern.compile("\\{(\\w+)(?::([^}]*))?\\}");

    /** {@code figures}: names and values in turns. */
    public static VerdictReason of(ReasonCode code, Object... figures) {
        Tree values = Tree.of(figures);
        Matcher place = PLACE.matcher(code.template());
        String text =
                place.replaceAll(found -> Matcher.quoteReplacement(format(values, found.group(1), found.group(2))));
        return new VerdictReason(code, values, text);
    }

    public Status status() {
        return code.status();
    }

    Tree tree() {
        return Tree.of("code", code.label(), "figures", figures, "text", text);
    }

    private static String format(Tree values, String name, String form) {
        if (",".equals(form)) {
            return Numbers.grouped(values.whole(name));
        }
        return ".1f".equals(form) ? Numbers.fixed(values.number(name), 1) : values.text(name);
    }
}
