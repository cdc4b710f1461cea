package io.github.switchover.jmeter;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.target.Endpoint.StatusRanges;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.Target;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Records as JSON holds them: component by component, under the names that Python gives them. */
public final class PlainValues {

    /** Records whose fields stand beside the others in Python. */
    private static final Set<String> INLINE = Set.of("sent", "tls", "timeouts", "spreading", "sources");

    private PlainValues() {}

    public static Object of(Object value) {
        if (value instanceof StatusRanges || value instanceof Path) {
            return value.toString();
        }
        if (value instanceof Node.Role role) {
            return role.label();
        }
        if (value instanceof Tree tree) {
            return Contract.json(Json.line(tree.json()));
        }
        if (value instanceof Integer number) {
            return number.longValue();
        }
        if (value instanceof List<?> list) {
            return list.stream().map(PlainValues::of).toList();
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> plain = new LinkedHashMap<>();
            map.forEach((key, entry) -> plain.put(key, of(entry)));
            return plain;
        }
        if (value instanceof FaultRecipe recipe) {
            return recipe(recipe);
        }
        if (value instanceof Source.Command command) {
            return Map.of("kind", "Command", "arguments", command.arguments());
        }
        if (value instanceof Target target) {
            Map<String, Object> plain = components(target);
            plain.remove("claim");
            plain.remove("origin");
            plain.put("lab", of(target.lab()));
            return plain;
        }
        return value instanceof Record components ? components(components) : value;
    }

    private static Map<String, Object> recipe(FaultRecipe recipe) {
        Map<String, Object> plain = new LinkedHashMap<>();
        plain.put("name", recipe.name());
        plain.put("predict_s", of(recipe.predictS()));
        for (FaultRecipe.Step step : FaultRecipe.Step.values()) {
            if (step != FaultRecipe.Step.DISARM) {
                plain.put(step.label(), recipe.command(step));
            }
        }
        return plain;
    }

    private static Map<String, Object> components(Record value) {
        Map<String, Object> plain = new LinkedHashMap<>();
        if (value instanceof Source) {
            plain.put("kind", value.getClass().getSimpleName());
        }
        for (RecordComponent component : value.getClass().getRecordComponents()) {
            try {
                Object held = component.getAccessor().invoke(value);
                if (INLINE.contains(component.getName())) {
                    plain.putAll(components((Record) held));
                } else {
                    plain.put(snake(component.getName()), of(held));
                }
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException(error);
            }
        }
        return plain;
    }

    private static String snake(String name) {
        return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }
}
