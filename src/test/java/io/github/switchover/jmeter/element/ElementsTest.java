package io.github.switchover.jmeter.element;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.Plan;
import io.github.switchover.jmeter.PlanFile;
import java.beans.BeanInfo;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.util.Arrays;
import java.util.List;
import java.util.ResourceBundle;
import java.util.stream.Stream;
import javax.swing.JToolTip;
import org.apache.jmeter.testbeans.gui.GenericTestBeanCustomizer;
import org.apache.jmeter.testelement.TestElement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What each element looks like, and that a plan keeps it. */
class ElementsTest {

    @BeforeAll
    static void prepare() {
        JMeterHome.load();
    }

    static Stream<TestElement> elements() {
        return Stream.of(
                new BalancerTarget(),
                new WhoAnswered(),
                new BalancerProbe(),
                new HaproxyStats(),
                new NginxStatus(),
                new MasterKill());
    }

    @ParameterizedTest
    @MethodSource("elements")
    void every_field_is_named_explained_grouped_and_has_a_default(TestElement element) throws Exception {
        BeanInfo info = Introspector.getBeanInfo(element.getClass());
        ResourceBundle texts = (ResourceBundle) info.getBeanDescriptor().getValue("resourceBundle");
        assertThat(info.getBeanDescriptor().getDisplayName()).startsWith("Switchover - ");
        assertThat(info.getIcon(BeanInfo.ICON_COLOR_16x16)).isNotNull();
        List<PropertyDescriptor> fields = fields(info);
        assertThat(fields).isNotEmpty();
        for (PropertyDescriptor field : fields) {
            String name = field.getName();
            assertThat(field.getPropertyType()).as(name).isEqualTo(String.class);
            assertThat(texts.getString(name + ".displayName")).isNotBlank();
            assertThat(texts.getString(name + ".shortDescription")).isNotBlank();
            assertThat(texts.getString(field.getValue(GenericTestBeanCustomizer.GROUP) + ".displayName"))
                    .isNotBlank();
            assertThat(field.getValue("notUndefined")).as(name).isEqualTo(true);
            assertThat(field.getValue("default")).as(name).isInstanceOf(String.class);
        }
    }

    @ParameterizedTest
    @MethodSource("elements")
    void a_plan_keeps_what_stands_in_each_field(TestElement element) throws Exception {
        List<PropertyDescriptor> fields = fields(Introspector.getBeanInfo(element.getClass()));
        Plan.element(element);
        fields.forEach(field -> element.setProperty(field.getName(), "${__P(a.b," + field.getName() + ")} <&>"));
        TestElement found = PlanFile.savedAndLoaded(element);
        assertThat(found).isInstanceOf(element.getClass()).isEqualTo(element);
        for (PropertyDescriptor field : fields) {
            assertThat(found.getPropertyAsString(field.getName())).isEqualTo("${__P(a.b," + field.getName() + ")} <&>");
        }
    }

    /** Both inherit the field: Java shares its descriptor between their descriptions. */
    @Test
    void a_default_of_one_element_is_not_that_of_another() throws Exception {
        BeanInfo haproxy = new HaproxyStatsBeanInfo();
        BeanInfo nginx = new NginxStatusBeanInfo();
        assertThat(defaultOf(haproxy, "prefix")).isEqualTo("haproxy");
        assertThat(defaultOf(nginx, "prefix")).isEqualTo("nginx");
    }

    /** Swing breaks the lines of a tooltip only in HTML. */
    @ParameterizedTest
    @MethodSource("elements")
    void a_tooltip_is_no_wider_than_a_small_screen(TestElement element) throws Exception {
        for (PropertyDescriptor field : fields(Introspector.getBeanInfo(element.getClass()))) {
            JToolTip shown = new JToolTip();
            shown.setTipText(field.getShortDescription());
            assertThat(shown.getPreferredSize().width).as(field.getName()).isLessThan(600);
        }
    }

    private static Object defaultOf(BeanInfo info, String name) {
        return fields(info).stream()
                .filter(field -> field.getName().equals(name))
                .map(field -> field.getValue("default"))
                .findFirst()
                .orElseThrow();
    }

    /** What the generated panel shows. */
    private static List<PropertyDescriptor> fields(BeanInfo info) {
        return Arrays.stream(info.getPropertyDescriptors())
                .filter(field -> field.getValue(GenericTestBeanCustomizer.GROUP) != null)
                .toList();
    }
}
