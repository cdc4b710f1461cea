package io.github.switchover.jmeter.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Recipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FaultRecipeTest {

    @Test
    void only_known_names_are_filled_in() {
        List<String> command = List.of("ssh", "{master}", "awk", "{print $1}", "{backup}:{master}", "{victim}");
        FaultRecipe recipe = Recipe.with(Recipe.named("cut"), Step.KILL, command, Step.DEADMAN, command);
        FaultRecipe filled = recipe.filledIn(Map.of("master", "lb1", "backup", "lb2"));
        assertThat(filled.command(Step.KILL))
                .isEqualTo(filled.command(Step.DEADMAN))
                .containsExactly("ssh", "lb1", "awk", "{print $1}", "lb2:lb1", "{victim}");
        assertThat(filled.command(Step.HEAL)).isNull();
        assertThat(filled.mentions("{master}")).isFalse();
        assertThat(recipe.filledIn(Map.of("master", "lb1", "backup", "")).mentions("{backup}"))
                .isTrue();
    }

    @Test
    void commands_may_hold_credentials_and_are_not_shown() {
        List<String> command = List.of("curl", "-u", "admin:secret");
        assertThat(Recipe.with(Recipe.named("cut"), Step.KILL, command, Step.HEAL, command))
                .hasToString("FaultRecipe[cut]");
    }
}
