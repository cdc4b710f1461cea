package io.github.switchover.jmeter.core;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.ToNumberPolicy;
import org.jspecify.annotations.Nullable;

/** Converts records to JSON and back, strictly: {@code firedFromUs} is {@code "fired_from_us"}, null is unknown. */
public final class Json {

    private static final GsonBuilder RECORDS = new GsonBuilder()
            .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
            .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE)
            .setStrictness(Strictness.STRICT)
            .disableHtmlEscaping()
            .serializeNulls();
    private static final Gson LINE = RECORDS.create();
    private static final Gson FILE = RECORDS.setPrettyPrinting().create();

    public static String file(Object record) {
        return FILE.toJson(record) + '\n';
    }

    /** Returns JSON without a newline. */
    public static String line(Object record) {
        return LINE.toJson(record);
    }

    public static JsonElement tree(@Nullable Object record) {
        return LINE.toJsonTree(record);
    }

    /** Reads a record. Throws IllegalArgumentException with a one-line reason if the text has no such record. */
    public static <T> T read(String text, Class<T> type) {
        T found;
        try {
            found = LINE.fromJson(text, type);
        } catch (JsonParseException | IllegalStateException | ArithmeticException error) {
            throw refused(error);
        }
        if (found == null) {
            throw new IllegalArgumentException("it is empty");
        }
        return found;
    }

    private static IllegalArgumentException refused(RuntimeException error) {
        Throwable cause = error.getCause() == null ? error : error.getCause();
        String first = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        return new IllegalArgumentException(first, error);
    }
}
