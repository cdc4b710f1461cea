package io.github.switchover.jmeter;

import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Makes recipes of faults, and variants of them. */
public final class Recipe {

    private Recipe() {}

    public static FaultRecipe named(String name) {
        return new FaultRecipe(name, Map.of(), null, List.of());
    }

    /** {@code changes}: steps, each with its command; null removes it. */
    @SuppressWarnings("unchecked")
    public static FaultRecipe with(FaultRecipe recipe, Object... changes) {
        Map<Step, List<String>> commands = new EnumMap<>(Step.class);
        commands.putAll(recipe.commands());
        for (int i = 0; i < changes.length; i += 2) {
            if (changes[i + 1] == null) {
                commands.remove((Step) changes[i]);
            } else {
                commands.put((Step) changes[i], (List<String>) changes[i + 1]);
            }
        }
        return new FaultRecipe(recipe.name(), commands, recipe.predictS(), recipe.variables());
    }
}
