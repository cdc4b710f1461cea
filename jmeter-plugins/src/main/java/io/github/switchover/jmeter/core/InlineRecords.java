package io.github.switchover.jmeter.core;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Lets a record with many fields in JSON be a few records in Java: the fields of {@link Inline} components
 * are merged. Such a component has a name of one word, which is no name of a field. {@link LeftOut} components are not
 * written where they are null; they have such a name, too.
 */
final class InlineRecords implements TypeAdapterFactory {

    @Override
    public <T> TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
        Class<? super T> raw = type.getRawType();
        if (!raw.isRecord()) {
            return null;
        }
        Set<String> groups = named(raw, Inline.class);
        Set<String> leftOut = named(raw, LeftOut.class);
        return groups.isEmpty() && leftOut.isEmpty()
                ? null
                : new Merging<>(gson, gson.getDelegateAdapter(this, type), groups, leftOut);
    }

    private static Set<String> named(Class<?> raw, Class<? extends Annotation> annotation) {
        return Arrays.stream(raw.getRecordComponents())
                .filter(component -> component.isAnnotationPresent(annotation))
                .map(RecordComponent::getName)
                .collect(Collectors.toSet());
    }

    private static final class Merging<T> extends TypeAdapter<T> {

        private final TypeAdapter<JsonElement> trees;
        private final TypeAdapter<T> delegate;
        private final Set<String> groups;
        private final Set<String> leftOut;

        Merging(Gson gson, TypeAdapter<T> delegate, Set<String> groups, Set<String> leftOut) {
            trees = gson.getAdapter(JsonElement.class);
            this.delegate = delegate;
            this.groups = groups;
            this.leftOut = leftOut;
        }

        @Override
        public void write(JsonWriter out, T value) throws IOException {
            JsonElement tree = delegate.toJsonTree(value);
            if (!tree.isJsonObject()) {
                trees.write(out, tree);
                return;
            }
            JsonObject merged = new JsonObject();
            Map<String, JsonElement> fields =
                    new LinkedHashMap<>(tree.getAsJsonObject().asMap());
            fields.forEach((name, field) -> {
                if (leftOut.contains(name) && field.isJsonNull()) {
                    return;
                }
                if (!groups.contains(name)) {
                    merged.add(name, field);
                } else if (field.isJsonObject()) {
                    field.getAsJsonObject().asMap().forEach(merged::add);
                }
            });
            trees.write(out, merged);
        }

        @Override
        public T read(JsonReader in) throws IOException {
            JsonElement tree = trees.read(in);
            if (!tree.isJsonObject()) {
                return delegate.fromJsonTree(tree);
            }
            JsonObject all = new JsonObject();
            tree.getAsJsonObject().asMap().forEach(all::add);
            groups.forEach(group -> all.add(group, tree));
            return delegate.fromJsonTree(all);
        }
    }
}
