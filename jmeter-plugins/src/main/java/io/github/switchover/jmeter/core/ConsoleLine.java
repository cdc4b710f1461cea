package io.github.switchover.jmeter.core;

/** Says a line where the user of a JMeter without a window ({@code -n}) looks; with a window, nothing. */
public final class ConsoleLine {

    private ConsoleLine() {}

    public static void print(String line) {
        if (Boolean.getBoolean("JMeter.NonGui")) {
            System.out.println(line);
        }
    }
}
