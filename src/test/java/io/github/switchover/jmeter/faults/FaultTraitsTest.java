package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Recipe;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What Python's catalogue says of a fault holds in JMeter, too. */
class FaultTraitsTest {

    @Test
    void mechanisms_are_known_by_their_names() {
        assertThat(FaultTraits.of("node-down").cutsTheWay()).isTrue();
        assertThat(FaultTraits.of("haproxy-kill").cutsTheWay()).isFalse();
        assertThat(FaultTraits.of("haproxy-reload").healsItself()).isTrue();
        assertThat(FaultTraits.of("backend-kill"))
                .isEqualTo(new FaultTraits(FaultRun.BACKEND, "web1", false, false, List.of("server")));
    }

    @Test
    void of_any_other_fault_nothing_is_known() {
        assertThat(FaultTraits.of("lb-kill"))
                .isEqualTo(new FaultTraits(FaultRun.MASTER, null, false, false, List.of()));
    }

    /** {@code test_catalogue.py} asks the same of the same fault. */
    @Test
    void made_up_fault_that_cuts_the_way_needs_a_dead_man() {
        Map<String, FaultTraits> traits = FaultTraits.read(Contract.text("made_up_fault.json"));
        assertThat(traits).containsOnlyKeys("pull-the-plug");
        FaultRecipe recipe = Recipe.with(Recipe.named("pull-the-plug"), Step.KILL, List.of("true"));
        FaultTraits cutting = traits.get("pull-the-plug");
        assertThatThrownBy(() -> Deadman.require(recipe, cutting))
                .isInstanceOf(FaultException.class)
                .hasMessageContaining("systemd-run");
        FaultRecipe held = Recipe.with(recipe, Step.DEADMAN, List.of("true"));
        assertThatCode(() -> Deadman.require(held, cutting)).doesNotThrowAnyException();
        assertThatCode(() -> Deadman.require(recipe, FaultTraits.of("pull-the-plug")))
                .doesNotThrowAnyException();
    }
}
