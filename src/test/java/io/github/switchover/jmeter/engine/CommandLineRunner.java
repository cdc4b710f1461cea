package io.github.switchover.jmeter.engine;

/** A JVM that says what was typed when it was started. */
public final class CommandLineRunner {

    private CommandLineRunner() {}

    public static void main(String[] arguments) {
        System.out.println(CommandLine.property("switchover.armed"));
    }
}
