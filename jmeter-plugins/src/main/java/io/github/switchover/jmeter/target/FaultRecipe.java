package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.Labelled;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A fault as commands, in which {@code {master}} and {@code {backup}} are placeholders for nodes. */
public record FaultRecipe(
        String name,
        Map<Step, List<String>> commands,
        @Nullable PredictedWindow predictS,
        List<String> variables) {

    /** The purpose of a fault's command, in the order of a drill. */
    public enum Step implements Labelled {

        /** Exits with 0 if the backup can take over. */
        READY,
        /** Starts a timer on the node. When the timer expires, the node heals the fault. */
        DEADMAN,
        KILL,
        /** Exits with 0 while the fault is in force. */
        VERIFY_DOWN,
        HEAL,
        /** Exits with 0 when the fault has been healed. */
        VERIFY_HEALED,
        /** Stops the timer of {@link #DEADMAN}. */
        DISARM
    }

    /** The predicted outage in seconds. */
    public record PredictedWindow(double low, double high) {}

    public String table() {
        return "[fault." + name + "]";
    }

    /** Returns the command of the step. */
    public @Nullable List<String> command(Step step) {
        return commands.get(step);
    }

    public boolean has(Step step) {
        return commands.containsKey(step);
    }

    /** Returns true if any command except {@code ready} contains the word, such as {@code {master}}. */
    public boolean mentions(String word) {
        return commands.entrySet().stream()
                .filter(entry -> entry.getKey() != Step.READY)
                .flatMap(entry -> entry.getValue().stream())
                .anyMatch(argument -> argument.contains(word));
    }

    /** Replaces the placeholders of nodes that have a known name. All other braces stay. */
    public FaultRecipe filledIn(Map<String, String> names) {
        Map<Step, List<String>> filled = new EnumMap<>(Step.class);
        commands.forEach((step, command) -> filled.put(step, filledIn(command, names)));
        return new FaultRecipe(name, filled, predictS, variables);
    }

    /** Replaces the placeholders of a command. */
    public static List<String> filledIn(List<String> command, Map<String, String> names) {
        List<String> filled = new ArrayList<>();
        for (String argument : command) {
            String text = argument;
            for (Map.Entry<String, String> name : names.entrySet()) {
                if (!name.getValue().isEmpty()) {
                    text = text.replace("{" + name.getKey() + "}", name.getValue());
                }
            }
            filled.add(text);
        }
        return filled;
    }

    /** Omits the commands, which may contain credentials. */
    @Override
    public String toString() {
        return "FaultRecipe[" + name + "]";
    }
}
