package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.command.Until;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of faults in a folder. After each test, no watchdog of the folder is left. */
abstract class FaultFolder {

    @TempDir
    Path place;

    Recipes recipes;

    @BeforeEach
    final void makeRecipes() {
        recipes = new Recipes(place);
    }

    /** A watchdog that has healed in vain tries again for hours. */
    @AfterEach
    final void no_watchdog_is_left() throws InterruptedException {
        Until.reached(() -> Watchdogs.of(place).isEmpty());
    }
}
