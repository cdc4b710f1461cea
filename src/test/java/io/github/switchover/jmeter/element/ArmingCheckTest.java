package io.github.switchover.jmeter.element;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.Plan;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.drill.DrillSettings;
import io.github.switchover.jmeter.drill.Service;
import io.github.switchover.jmeter.element.ArmingCheck.Keyboard;
import io.github.switchover.jmeter.faults.Staging.Arming;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.target.TargetFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.apache.jmeter.util.JMeterUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A fault at a real target is armed by a word at the keyboard, and by none in a file. */
@ExtendWith(JMeterHome.class)
class ArmingCheckTest {

    private static final DrillSettings.FaultPlan TOUCH = new DrillSettings.FaultPlan("touch", 25, 40.0);

    @TempDir
    Path place;

    private Service service;
    private Target target;

    @BeforeEach
    void begin() throws IOException {
        service = new Service(place);
        target = TargetFile.load(service.targetFile(false));
    }

    @AfterEach
    void end() {
        JMeterUtils.getJMeterProperties().remove(BalancerTargetSettings.ARMED_PROPERTY);
        service.close();
    }

    @Test
    void a_word_that_something_has_taken_back_since_arms_nothing() {
        property("false");
        assertThat(arming(KeyboardScript.commandLine(true), TOUCH)).isEqualTo(Arming.UNCONFIRMED);
        assertThat(arming(KeyboardScript.commandLine(false), TOUCH)).isEqualTo(Arming.UNCONFIRMED);
    }

    @Test
    void the_question_names_fault_time_node_and_target() {
        KeyboardScript user = KeyboardScript.window(false);
        arming(user, TOUCH);
        assertThat(user.questions())
                .containsExactly("This test fires a fault at a real target:\n\n"
                        + "Fault: touch, 25 s after the start of the test, healed after 40 s\n"
                        + "Hits: lb1, which is the master now\n"
                        + "Target: " + service.url() + " of " + place.resolve("target.toml") + "\n\n"
                        + "Fire it? If you choose No, the test runs without the fault.");
    }

    @Test
    void a_master_kill_is_asked_for_too() {
        KeyboardScript user = KeyboardScript.window(true);
        assertThat(arming(user, null, "touch", "${chosen}")).isEqualTo(Arming.CONFIRMED);
        assertThat(user.questions()).singleElement().asString().contains("""
                        Fault: chosen while the test runs, when a thread reaches its Master Kill
                        Hits: the node that its commands name
                        Fault: touch, when a thread reaches its Master Kill
                        Hits: lb1, which is the master now
                        """);
    }

    @Test
    void what_cannot_be_fired_is_refused_before_anything_is_asked() {
        KeyboardScript user = KeyboardScript.window(true);
        assertThatThrownBy(() -> arming(user, new DrillSettings.FaultPlan("flood", 1, null)))
                .isInstanceOf(FaultException.class)
                .hasMessageContaining("has no [fault.flood]");
        assertThat(user.questions()).isEmpty();
    }

    @Test
    void a_field_that_is_wrong_is_refused_before_anything_is_asked() throws IOException {
        KeyboardScript user = KeyboardScript.window(true);
        BalancerTarget element = Plan.element(
                new BalancerTarget(user),
                "targetFile",
                service.targetFile(false).toString(),
                "limits",
                "outage=soon");
        assertThatThrownBy(() -> BalancerTargetSettings.of(element, Set.of("touch")))
                .isInstanceOf(UsageException.class);
        assertThat(user.questions()).isEmpty();
    }

    private Arming arming(Keyboard keyboard, DrillSettings.FaultPlan plan, String... kills) {
        return new ArmingCheck(keyboard, target, plan, Set.of(kills)).arming();
    }

    private static void property(String value) {
        JMeterUtils.setProperty(BalancerTargetSettings.ARMED_PROPERTY, value);
    }
}
