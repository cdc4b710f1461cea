package io.github.switchover.jmeter.target;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A fault as commands; {@code {master}} and {@code {backup}} are filled in when it is fired. What the file does not
 * name is null.
 *
 * @param predictS the outage that the user expects
 */
public record FaultRecipe(
        String name,
        List<String> kill,
        List<String> heal,
        List<String> verifyDown,
        List<String> verifyHealed,
        List<String> deadman,
        Window predictS) {

    /** In seconds. */
    public record Window(double low, double high) {}

    /** Whether the word, such as {@code {master}}, stands in any of its commands. */
    public boolean mentions(String word) {
        return Stream.of(kill, heal, verifyDown, verifyHealed, deadman)
                .filter(Objects::nonNull)
                .flatMap(List::stream)
                .anyMatch(argument -> argument.contains(word));
    }

    /** Without the commands, which may hold credentials. */
    @Override
    public String toString() {
        return "FaultRecipe[" + name + "]";
    }
}
