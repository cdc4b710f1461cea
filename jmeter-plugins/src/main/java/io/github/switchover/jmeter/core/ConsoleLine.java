package io.github.switchover.jmeter.core;

/** Prints a line on the console if JMeter runs without a window ({@code -n}); otherwise prints nothing. */
public final class ConsoleLine {

    public static void print(String line) {
        if (Boolean.getBoolean("JMeter.NonGui")) {
            System.out.println(line);
        }
    }
}
