package io.github.switchover.jmeter.fuzz;

/** Jazzer's way in: {@code --target_args} names the reader. */
public final class Fuzzed {

    private static String name = "";

    private Fuzzed() {}

    public static void fuzzerInitialize(String[] arguments) {
        name = arguments[0];
    }

    public static void fuzzerTestOneInput(byte[] bytes) {
        Readers.read(name, bytes);
    }
}
