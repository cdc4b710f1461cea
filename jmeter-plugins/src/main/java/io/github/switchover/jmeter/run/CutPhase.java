package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.github.switchover.jmeter.core.Numbers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A phase that was shorter than what the prediction and the stability window need.
 *
 * @param phase {@link #HOLD} or {@link #RECOVER}
 * @param chosen by an option, before the drill; else it turned out so
 */
public record CutPhase(String phase, double lastedS, double neededS, boolean chosen) {

    /** From the fault to the heal. */
    public static final String HOLD = "hold";

    /** From the heal to the end. */
    public static final String RECOVER = "recover";

    /** What earlier versions wrote instead. */
    private static final Pattern SENTENCE = Pattern.compile(
            "(--)?(hold|recover) ([0-9.]+) s is shorter than the ([0-9.]+) s that a stability window needs");

    public CutPhase {
        if (!HOLD.equals(phase) && !RECOVER.equals(phase)) {
            throw new IllegalArgumentException("truncated: no phase is called " + phase);
        }
    }

    /** One line. */
    public String text() {
        String lasted =
                chosen ? "--" + phase + " " + Numbers.general(lastedS) : phase + " " + Numbers.fixed(lastedS, 1);
        return lasted + " s is shorter than the " + Numbers.general(neededS) + " s that a stability window needs";
    }

    /** As run.json holds it: its fields, or the sentence of an earlier version as they would be. */
    static JsonElement fields(JsonElement held) {
        if (!(held instanceof JsonPrimitive sentence)) {
            return held;
        }
        Matcher match = SENTENCE.matcher(sentence.getAsString());
        if (!match.matches()) {
            throw new IllegalArgumentException("truncated: no phase that was cut short: " + sentence.getAsString());
        }
        JsonObject fields = new JsonObject();
        fields.addProperty("phase", match.group(2));
        fields.addProperty("lasted_s", Double.parseDouble(match.group(3)));
        fields.addProperty("needed_s", Double.parseDouble(match.group(4)));
        fields.addProperty("chosen", match.group(1) != null);
        return fields;
    }
}
