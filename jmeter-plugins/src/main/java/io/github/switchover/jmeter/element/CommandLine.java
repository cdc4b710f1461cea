package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.PublicText;
import java.util.ArrayList;
import java.util.List;

/** What started this JVM, as far as anybody may read it: the values of properties may be secrets. */
final class CommandLine {

    private CommandLine() {}

    static List<String> ofThisJvm() {
        List<String> words = new ArrayList<>(List.of("jmeter"));
        String[] typed = System.getProperty("sun.java.command", "").split(" ", -1);
        for (int i = 1; i < typed.length; i++) {
            words.add(PublicText.text(withoutValue(typed[i])));
        }
        return words;
    }

    /** {@code -Jname=…}, but for our own properties, which hold no secrets. */
    private static String withoutValue(String word) {
        int equals = word.indexOf('=');
        boolean property = word.matches("-[JDGLjdgl][^=]*=.*");
        return property && !word.startsWith("-Jswitchover.") ? word.substring(0, equals + 1) + "…" : word;
    }
}
