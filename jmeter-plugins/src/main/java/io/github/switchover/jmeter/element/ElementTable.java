package io.github.switchover.jmeter.element;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.google.gson.JsonObject;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.ResourceText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.ListResourceBundle;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;

/** The fields of an element as {@code tables/elements.json} describes them: texts, defaults and input shapes. */
record ElementTable(String title, List<FieldGroup> groups) {

    private static final JsonObject ALL = Json.read(ResourceText.table("elements.json"), JsonObject.class);

    /** The texts of the options of a drill ({@code help}, {@code empty}, {@code value}), by their fields. */
    private static final Map<String, Map<String, String>> OPTIONS = options();

    /** The fields under one heading. */
    record FieldGroup(String name, String title, List<FieldRow> fields) {}

    /**
     * One field. If the field is an option of a drill, {@code tables/options.toml} has the texts that are null here.
     *
     * @param empty the value that is used if the field is empty; null for a choice
     * @param value the value in a new element; null for a choice, which starts with its first value
     * @param shape {@code file} for the name of a file
     * @param choices the texts in the window, by their values in a plan
     */
    record FieldRow(
            String name,
            String title,
            @Nullable String help,
            @Nullable String empty,
            @Nullable String value,
            @Nullable String shape,
            @Nullable Map<String, String> choices) {

        /** Returns the tooltip. */
        String tooltip() {
            String text = or(help, "help");
            return choices == null ? text + " Empty: " + or(empty, "empty") + "." : text;
        }

        /** Returns the value in a new element. For an option of a drill, this is the property with its default. */
        String initial() {
            return or(value, "value");
        }

        private String or(@Nullable String own, String key) {
            return requireNonNull(
                    own == null ? requireNonNull(OPTIONS.get(name)).get(key) : own);
        }
    }

    private static Map<String, Map<String, String>> options() {
        Map<String, Map<String, String>> texts = new HashMap<>();
        TomlParseResult table = Toml.parse(ResourceText.table("options.toml"));
        for (String name : table.keySet()) {
            TomlTable option = table.getTableOrEmpty(name);
            String usual = option.getString("default", () -> "");
            TomlArray fields = option.getArrayOrEmpty("jmeter");
            for (int i = 0; i < fields.size(); i++) {
                TomlTable place = fields.getTable(i);
                String property = place.getString("property");
                texts.put(
                        place.getString("field"),
                        Map.of(
                                "help",
                                StringUtils.capitalize(option.getString("help")) + ".",
                                "empty",
                                option.getString("unset", () -> usual),
                                "value",
                                property.isEmpty() ? usual : "${__P(" + property + "," + usual + ")}"));
            }
        }
        return texts;
    }

    static ElementTable of(Class<?> element) {
        return Json.read(ALL.get(element.getSimpleName()).toString(), ElementTable.class);
    }

    /** Returns the name of a field in the window. */
    String title(String field) {
        Stream<FieldRow> fields = groups.stream().flatMap(group -> group.fields.stream());
        return fields.filter(row -> row.name.equals(field)).findFirst().orElseThrow().title;
    }

    /** Returns a map from the keys that JMeter's windows use to the texts: the headings and the choices. */
    ListResourceBundle texts() {
        List<Object[]> texts = new ArrayList<>();
        for (FieldGroup group : groups) {
            texts.add(new Object[] {group.name + ".displayName", group.title});
            group.fields.forEach(field -> requireNonNullElse(field.choices, Map.of())
                    .forEach((value, text) -> texts.add(new Object[] {value, text})));
        }
        return new ListResourceBundle() {
            @Override
            protected Object[][] getContents() {
                return texts.toArray(Object[][]::new);
            }
        };
    }
}
