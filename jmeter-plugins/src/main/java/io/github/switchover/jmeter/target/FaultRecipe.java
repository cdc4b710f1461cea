package io.github.switchover.jmeter.target;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A fault as commands, in which {@code {master}} and {@code {backup}} stand for nodes. What the file does not name is
 * null.
 *
 * @param predictS the outage that the user expects
 * @param ready exits with 0 if the backup is fit to take over
 */
public record FaultRecipe(
        String name,
        List<String> kill,
        List<String> heal,
        List<String> verifyDown,
        List<String> verifyHealed,
        List<String> deadman,
        PredictedWindow predictS,
        List<String> ready) {

    /** A recipe that does not say how to ask whether the backup is fit to take over. */
    public FaultRecipe(
            String name,
            List<String> kill,
            List<String> heal,
            List<String> verifyDown,
            List<String> verifyHealed,
            List<String> deadman,
            PredictedWindow predictS) {
        this(name, kill, heal, verifyDown, verifyHealed, deadman, predictS, null);
    }

    /** In seconds. */
    public record PredictedWindow(double low, double high) {}

    /** Whether the word, such as {@code {master}}, stands in any of its commands but {@code ready}. */
    public boolean mentions(String word) {
        return Stream.of(kill, heal, verifyDown, verifyHealed, deadman)
                .filter(Objects::nonNull)
                .flatMap(List::stream)
                .anyMatch(argument -> argument.contains(word));
    }

    /** With the names of the nodes, as far as they are known and not empty; other braces stand as they are. */
    public FaultRecipe filledIn(Map<String, String> names) {
        return new FaultRecipe(
                name,
                filledIn(kill, names),
                filledIn(heal, names),
                filledIn(verifyDown, names),
                filledIn(verifyHealed, names),
                filledIn(deadman, names),
                predictS,
                filledIn(ready, names));
    }

    /** Without the commands, which may hold credentials. */
    @Override
    public String toString() {
        return "FaultRecipe[" + name + "]";
    }

    private static List<String> filledIn(List<String> command, Map<String, String> names) {
        return command == null
                ? null
                : command.stream().map(argument -> filledIn(argument, names)).toList();
    }

    private static String filledIn(String argument, Map<String, String> names) {
        String text = argument;
        for (Map.Entry<String, String> name : names.entrySet()) {
            if (!name.getValue().isEmpty()) {
                text = text.replace("{" + name.getKey() + "}", name.getValue());
            }
        }
        return text;
    }
}
