package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Units;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The text in one field of an element. {@code element} null: {@code key} is the name in messages. */
record Field(@Nullable Class<?> element, String key, String text) {

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,12}(\\.[0-9]{1,9})?");
    private static final Pattern BETWEEN = Pattern.compile("[,;\\s]+");

    Field(String name, String text) {
        this(null, name, text);
    }

    /** Returns the name of the field in the window, so that the user can find the field. */
    String name() {
        return element == null ? key : ElementTable.of(element).title(key);
    }

    UsageException refusal(String why) {
        return new UsageException(name() + ": " + why);
    }

    boolean isEmpty() {
        return text.isBlank();
    }

    String orElse(String usual) {
        return isEmpty() ? usual : text.strip();
    }

    @Nullable
    Double seconds() {
        if (isEmpty()) {
            return null;
        }
        try {
            return Units.parseSeconds(text);
        } catch (UsageException error) {
            throw refusal(error.getMessage());
        }
    }

    double seconds(double usual) {
        Double seconds = seconds();
        return seconds == null ? usual : seconds;
    }

    @Nullable
    Double number() {
        if (isEmpty()) {
            return null;
        }
        if (!NUMBER.matcher(text.strip()).matches()) {
            throw refusal(shown() + " is not a number: write 100 or 0.5");
        }
        return Double.valueOf(text.strip());
    }

    /** Returns true for {@code true}, in small or capital letters. No other text arms a fault. */
    boolean isTrue() {
        return text.strip().toLowerCase(Locale.ROOT).equals("true");
    }

    List<String> list() {
        return isEmpty()
                ? List.of()
                : Arrays.stream(BETWEEN.split(text.strip(), -1))
                        .filter(part -> !part.isEmpty())
                        .toList();
    }

    String shown() {
        return ReadableText.quoted(PublicText.text(text));
    }
}
