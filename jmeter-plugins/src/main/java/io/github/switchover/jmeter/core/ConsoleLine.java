package io.github.switchover.jmeter.core;

/** Prints a line on the console of a JMeter without a window ({@code -n}); with a window, nothing. */
public final class ConsoleLine {

    private ConsoleLine() {}

    public static void print(String line) {
        if (Boolean.getBoolean("JMeter.NonGui")) {
            System.out.println(line);
        }
    }
}
