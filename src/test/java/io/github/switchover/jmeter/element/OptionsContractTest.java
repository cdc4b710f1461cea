package io.github.switchover.jmeter.element;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.faults.Preflight.Allowance;
import java.beans.PropertyDescriptor;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.jmeter.testbeans.gui.GenericTestBeanCustomizer;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The options of a drill, which are declared once, in Python: their fields here have the same defaults and readings. */
@ExtendWith(JMeterHome.class)
class OptionsContractTest {

    /** What only JMeter has: a name for the run, which a drill of the command line takes from its fault. */
    private static final Set<String> OWN = Set.of("runName");

    @Test
    void each_option_has_its_field_with_its_property_and_default() {
        var expected = new TreeMap<String, String>();
        var properties = new TreeSet<String>();
        Contract.stream(Contract.vectors("options.json", "fields")).forEach(vector -> {
            JsonObject option = vector.getAsJsonObject();
            String property = option.get("property").getAsString();
            String usual = option.get("default").getAsString();
            if (option.get("field").getAsString().isEmpty()) {
                properties.add(property);
            } else {
                expected.put(
                        option.get("field").getAsString(),
                        property.isEmpty() ? usual : "${__P(" + property + "," + usual + ")}");
            }
        });
        var fields = new TreeMap<String, String>();
        for (PropertyDescriptor field : new BalancerTargetBeanInfo().getPropertyDescriptors()) {
            if (field.getValue(GenericTestBeanCustomizer.GROUP) != null && !OWN.contains(field.getName())) {
                fields.put(field.getName(), (String) field.getValue(GenericTestBeanCustomizer.DEFAULT));
            }
        }
        assertThat(fields).isEqualTo(expected);
        var own = Stream.of(
                BalancerTargetSettings.ARMED_PROPERTY,
                BalancerTargetSettings.DRY_RUN_PROPERTY,
                BalancerTargetSettings.WAIT_PROPERTY);
        var allowed = Stream.of(Allowance.values()).map(Allowance::property);
        assertThat(properties)
                .containsExactlyInAnyOrderElementsOf(Stream.concat(own, allowed).toList());
    }

    static Stream<Named<JsonObject>> durations() {
        return Contract.stream(Contract.vectors("options.json", "durations"))
                .map(vector -> Named.of(vector.getAsJsonObject().get("text").getAsString(), vector.getAsJsonObject()));
    }

    @ParameterizedTest
    @MethodSource("durations")
    void a_duration_is_read_as_on_the_command_line(JsonObject vector) {
        Field field = new Field("Late after", vector.get("text").getAsString());
        if (vector.get("seconds").isJsonNull()) {
            assertThatThrownBy(field::seconds)
                    .isInstanceOf(UsageException.class)
                    .hasMessageStartingWith("Late after: ");
        } else {
            assertThat(field.seconds()).isEqualTo(vector.get("seconds").getAsDouble());
        }
    }
}
