package io.github.switchover.jmeter;

import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.StatusRanges;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Records as JSON holds them: component by component, under the names that Python gives them. */
public final class PlainValues {

    private PlainValues() {}

    public static Object of(Object value) {
        if (value instanceof StatusRanges || value instanceof Path) {
            return value.toString();
        }
        if (value instanceof Node.Role role) {
            return role.label();
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
        return value instanceof Record components ? components(components) : value;
    }

    private static Map<String, Object> components(Record value) {
        Map<String, Object> plain = new LinkedHashMap<>();
        if (value instanceof Source) {
            plain.put("kind", value.getClass().getSimpleName());
        }
        for (RecordComponent component : value.getClass().getRecordComponents()) {
            try {
                Object held = component.getAccessor().invoke(value);
                plain.put(snake(component.getName()), of(held));
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
