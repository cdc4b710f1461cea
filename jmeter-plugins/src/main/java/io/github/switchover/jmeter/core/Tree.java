package io.github.switchover.jmeter.core;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An immutable JSON object. A missing or null field is unknown; a wrong type throws {@link RunDirectoryException}. */
public record Tree(JsonObject json) {

    public static final Tree EMPTY = new Tree(new JsonObject());

    /** {@code fields}: alternating names and values: null, Trees, texts, numbers, lists, maps or records. */
    public static Tree of(@Nullable Object... fields) {
        JsonObject json = new JsonObject();
        for (int index = 0; index < fields.length; index += 2) {
            json.add((String) fields[index], element(fields[index + 1]));
        }
        return new Tree(json);
    }

    /** Throws IllegalArgumentException with the reason in one line, if the text is not a JSON object. */
    public static Tree parse(String text) {
        return new Tree(Json.read(text, JsonObject.class));
    }

    public Tree with(String name, @Nullable Object value) {
        JsonObject copy = new JsonObject();
        json.asMap().forEach(copy::add);
        copy.add(name, element(value));
        return new Tree(copy);
    }

    /** Returns a copy with these values at the end of a list, without duplicates. */
    public Tree adding(String name, Collection<?> values) {
        Set<JsonElement> all = new LinkedHashSet<>(array(name));
        values.forEach(value -> all.add(element(value)));
        return with(name, all);
    }

    private static JsonElement element(@Nullable Object value) {
        if (value instanceof JsonElement element) {
            return element;
        }
        if (value instanceof Tree tree) {
            return tree.json;
        }
        if (value instanceof Collection<?> values) {
            JsonArray array = new JsonArray();
            values.forEach(one -> array.add(element(one)));
            return array;
        }
        if (value instanceof Map<?, ?> values) {
            JsonObject object = new JsonObject();
            values.forEach((name, one) -> object.add((String) name, element(one)));
            return object;
        }
        return Json.tree(value);
    }

    public boolean has(String name) {
        return json.get(name) != null && !json.get(name).isJsonNull();
    }

    public Set<String> names() {
        return json.keySet();
    }

    /** Returns the text of a field. */
    public @Nullable String text(String name) {
        return has(name) ? textOf(name, json.get(name)) : null;
    }

    public String text(String name, String unknown) {
        return has(name) ? textOf(name, json.get(name)) : unknown;
    }

    /** Returns the whole number of a field. */
    public @Nullable Long whole(String name) {
        Object value = has(name) ? numberOf(name) : null;
        try {
            return value == null ? null : new BigDecimal(value.toString()).longValueExact();
        } catch (ArithmeticException error) {
            throw wrong(name, "whole number");
        }
    }

    public long whole(String name, long unknown) {
        Long value = whole(name);
        return value == null ? unknown : value;
    }

    /** Returns the number of a field. */
    public @Nullable Double number(String name) {
        return has(name) ? numberOf(name).doubleValue() : null;
    }

    public boolean is(String name) {
        if (has(name) && !(json.get(name) instanceof JsonPrimitive value && value.isBoolean())) {
            throw wrong(name, "true or false");
        }
        return has(name) && json.get(name).getAsBoolean();
    }

    /** Returns the object of a field; empty if unknown. */
    public Tree child(String name) {
        return has(name) ? object(name, json.get(name)) : EMPTY;
    }

    /** Returns the objects of a list; empty if unknown. */
    public List<Tree> list(String name) {
        return array(name).stream().map(element -> object(name, element)).toList();
    }

    /** Returns the texts of a list; empty if unknown. */
    public List<String> texts(String name) {
        return array(name).stream().map(element -> textOf(name, element)).toList();
    }

    /** Returns the values of a list without nulls; empty if unknown. */
    public List<JsonElement> array(String name) {
        if (has(name) && !json.get(name).isJsonArray()) {
            throw wrong(name, "list");
        }
        List<JsonElement> found = new ArrayList<>();
        for (JsonElement element : has(name) ? json.getAsJsonArray(name) : new JsonArray()) {
            if (element != JsonNull.INSTANCE) {
                found.add(element);
            }
        }
        return found;
    }

    private Number numberOf(String name) {
        if (json.get(name) instanceof JsonPrimitive value && value.isNumber()) {
            return value.getAsNumber();
        }
        throw wrong(name, "number");
    }

    private static Tree object(String name, JsonElement element) {
        if (element instanceof JsonObject object) {
            return new Tree(object);
        }
        throw wrong(name, "object");
    }

    private static String textOf(String name, JsonElement element) {
        if (element instanceof JsonPrimitive value && value.isString()) {
            return value.getAsString();
        }
        throw wrong(name, "text");
    }

    private static RunDirectoryException wrong(String name, String wanted) {
        return new RunDirectoryException(ReadableText.quoted(name) + " is not a " + wanted);
    }
}
