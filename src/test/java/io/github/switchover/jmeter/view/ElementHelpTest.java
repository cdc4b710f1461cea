package io.github.switchover.jmeter.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.element.BalancerProbe;
import io.github.switchover.jmeter.element.BalancerTarget;
import io.github.switchover.jmeter.element.HaproxyStats;
import io.github.switchover.jmeter.element.MasterKill;
import io.github.switchover.jmeter.element.NginxStatus;
import io.github.switchover.jmeter.element.SwitchoverListener;
import io.github.switchover.jmeter.element.WhoAnswered;
import org.apache.jmeter.control.LoopController;
import org.apache.jmeter.gui.action.ActionNames;
import org.apache.jmeter.testelement.TestElement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Help says of an element, without a network. */
class ElementHelpTest {

    @BeforeAll
    static void prepare() {
        JMeterHome.load();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                BalancerTarget.class,
                WhoAnswered.class,
                BalancerProbe.class,
                HaproxyStats.class,
                NginxStatus.class,
                MasterKill.class,
                SwitchoverListener.class
            })
    void each_element_has_help_that_names_no_file_beside_the_jar(Class<? extends TestElement> element) {
        String help = ElementHelp.of(element);
        assertThat(help.lines().count()).isGreaterThan(7);
        assertThat(help).doesNotContain("docs/");
    }

    @Test
    void it_explains_each_field_in_the_order_of_the_window_and_what_an_empty_one_means() {
        assertThat(ElementHelp.of(BalancerTarget.class))
                .startsWith("Switchover - Balancer Target\n")
                .containsSubsequence(
                        "\nTarget\n", "    Target file: ", "\nRun\n", "    Folder of the runs: ", " Empty: runs.")
                .containsSubsequence("\nVerdict\n", "    Limits: ", "\nFault\n", "    Heal at: ");
    }

    @Test
    void only_our_elements_are_answered_for() {
        assertThat(ElementHelp.isThereFor(new MasterKill())).isTrue();
        assertThat(ElementHelp.isThereFor(new SwitchoverListener())).isTrue();
        assertThat(ElementHelp.isThereFor(new LoopController())).isFalse();
        assertThat(new HelpCommand().getActionNames()).containsExactly(ActionNames.HELP);
    }
}
