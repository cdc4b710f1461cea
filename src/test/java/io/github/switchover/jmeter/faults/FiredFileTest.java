package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of all that would fire in a run one does. */
class FiredFileTest {

    @TempDir
    Path place;

    @Test
    void of_two_that_looked_before_either_had_fired_one_fires() {
        FiredFile.requireAbsent(place, "touch");
        FiredFile.make(place, "touch");
        String already =
                "touch does not fire: a fault was fired in this run already, as " + place.resolve("fault.fired");
        assertThatThrownBy(() -> FiredFile.make(place, "touch")).hasMessageStartingWith(already);
        assertThatThrownBy(() -> FiredFile.requireAbsent(place, "touch")).hasMessageStartingWith(already);
    }

    @Test
    void nothing_is_fired_where_it_cannot_be_written() {
        Path gone = place.resolve("gone");
        assertThatThrownBy(() -> FiredFile.make(gone, "touch"))
                .hasMessageStartingWith("touch does not fire: cannot write " + gone.resolve("fault.fired") + ": ");
    }
}
