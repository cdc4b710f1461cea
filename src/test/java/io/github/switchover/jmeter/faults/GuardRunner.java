package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.faults.Healer.HealPace;
import java.nio.file.Path;
import java.util.Map;

/** A JVM that fires a fault and waits at the point where a test wants to kill it. */
public final class GuardRunner {

    private GuardRunner() {}

    public static void main(String[] arguments) throws InterruptedException {
        Recipes recipes = new Recipes(Path.of(arguments[0]));
        String stop = arguments[2];
        Guard guard = new Guard(
                Recipes.alone(recipes.recipe(arguments[1], "rm -f down"), Map.of()),
                null,
                RunClock.ofProcess(),
                (kind, text, timeNs, node, id) -> {},
                Path.of(arguments[0]),
                Proof.USUAL,
                HealPace.USUAL);
        guard.arm();
        waitAt("armed", stop);
        if (stop.equals("firing")) {
            System.out.println("firing");
        }
        guard.fire(arguments.length > 3 ? (Double) Double.parseDouble(arguments[3]) : null, RunClock.bootSeconds());
        waitAt("fired", stop);
        guard.heal();
        waitAt("healed", stop);
        guard.close();
    }

    private static void waitAt(String point, String stop) throws InterruptedException {
        if (point.equals(stop)) {
            System.out.println(point);
            Thread.sleep(600_000);
        }
    }
}
