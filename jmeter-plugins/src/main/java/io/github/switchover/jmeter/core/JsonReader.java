package io.github.switchover.jmeter.core;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.ToNumberPolicy;
import com.google.gson.reflect.TypeToken;
import java.util.Map;

/** Reads JSON that anybody may have written: strictly, and nested to a bounded depth. */
public final class JsonReader {

    private static final TypeToken<Map<String, Object>> OBJECT = new TypeToken<>() {};

    /** {@code 1} is a {@link Long}, {@code 1.0} a {@link Double}, as Python tells them apart. */
    private static final Gson GSON = new GsonBuilder()
            .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE)
            .setStrictness(Strictness.STRICT)
            .create();

    private JsonReader() {}

    /**
     * The object that the text holds, its keys in their order.
     *
     * @throws IllegalArgumentException which says why in one line, if it holds none
     */
    public static Map<String, Object> object(String text) {
        Map<String, Object> found;
        try {
            found = GSON.fromJson(text, OBJECT);
        } catch (JsonParseException error) {
            Throwable cause = error.getCause() == null ? error : error.getCause();
            throw new IllegalArgumentException(
                    String.valueOf(cause.getMessage()).lines().findFirst().orElse(""), error);
        }
        if (found == null) {
            throw new IllegalArgumentException("it is empty");
        }
        return found;
    }
}
