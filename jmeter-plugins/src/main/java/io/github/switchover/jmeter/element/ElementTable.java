package io.github.switchover.jmeter.element;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.ResourceText;
import io.github.switchover.jmeter.target.TomlText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.ListResourceBundle;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of an element as {@code tables/elements.json} describes them: texts, defaults and input shapes. */
record ElementTable(String title, String help, List<FieldGroup> groups) {

    private static final JsonObject ALL =
            Json.read(ResourceText.table("elements.json"), JsonElement.class).getAsJsonObject();

    private static final Map<String, String> OPTIONS = optionValues();

    /** The fields under one heading. */
    record FieldGroup(String name, String title, List<FieldRow> fields) {}

    /**
     * One field.
     *
     * @param empty the value that is used if the field is empty; null for a choice
     * @param value the value in a new element. Null for a choice, which starts with its first value. Null also for
     *     an option of a drill, which {@code tables/options.toml} describes.
     * @param shape {@code file} for the name of a file
     * @param choices the texts in the window, by their values in a plan
     */
    record FieldRow(
            String name,
            String title,
            String help,
            @Nullable String empty,
            @Nullable String value,
            @Nullable String shape,
            @Nullable Map<String, String> choices) {}

    /**
     * Returns the value of a field in a new element. For an option of a drill, the value is the property with its
     * default.
     */
    @Nullable
    String value(FieldRow field) {
        return field.value == null ? OPTIONS.get(field.name) : field.value;
    }

    private static Map<String, String> optionValues() {
        Map<String, String> values = new HashMap<>();
        TomlText.parse(ResourceText.table("options.toml"), "options.toml").forEach((name, described) -> {
            Map<?, ?> option = (Map<?, ?>) described;
            Object usual = option.containsKey("default") ? option.get("default") : "";
            for (Object field : option.get("jmeter") instanceof List<?> fields ? fields : List.of()) {
                Map<?, ?> place = (Map<?, ?>) field;
                String property = String.valueOf(place.get("property"));
                values.put(
                        String.valueOf(place.get("field")),
                        property.isEmpty() ? usual.toString() : "${__P(" + property + "," + usual + ")}");
            }
        });
        return values;
    }

    static ElementTable of(Class<?> element) {
        return Json.read(ALL.get(element.getSimpleName()).toString(), ElementTable.class);
    }

    List<FieldRow> fields() {
        return groups.stream().flatMap(group -> group.fields.stream()).toList();
    }

    /** Returns the name of a field in the window. */
    String title(String field) {
        return texts().getString(field + ".displayName");
    }

    /** Returns a map from the keys that JMeter's windows use to the texts. */
    ListResourceBundle texts() {
        Map<String, String> texts = new HashMap<>(Map.of("displayName", title, "help", help));
        groups.forEach(group -> texts.put(group.name + ".displayName", group.title));
        for (FieldRow field : fields()) {
            texts.put(field.name + ".displayName", field.title);
            texts.put(field.name + ".shortDescription", field.help);
            if (field.choices != null) {
                texts.putAll(field.choices);
            } else {
                texts.put(field.name + ".empty", field.empty);
            }
        }
        List<Object[]> pairs = new ArrayList<>();
        texts.forEach((key, text) -> pairs.add(new Object[] {key, text}));
        return new ListResourceBundle() {
            @Override
            protected Object[][] getContents() {
                return pairs.toArray(Object[][]::new);
            }
        };
    }
}
