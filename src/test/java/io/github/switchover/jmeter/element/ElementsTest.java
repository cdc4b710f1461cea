package io.github.switchover.jmeter.element;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.Plan;
import io.github.switchover.jmeter.PlanFile;
import java.awt.Component;
import java.beans.BeanInfo;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.util.Arrays;
import java.util.List;
import java.util.ResourceBundle;
import java.util.stream.Stream;
import javax.swing.JButton;
import javax.swing.JPanel;
import org.apache.jmeter.testbeans.gui.GenericTestBeanCustomizer;
import org.apache.jmeter.testbeans.gui.TestBeanGUI;
import org.apache.jmeter.testelement.TestElement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What each element looks like, and that a plan keeps it. */
@ExtendWith(JMeterHome.class)
class ElementsTest {

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
            assertThat(field.getDisplayName()).isNotBlank();
            assertThat(field.getShortDescription()).isNotBlank();
            assertThat(texts.getString(field.getValue(GenericTestBeanCustomizer.GROUP) + ".displayName"))
                    .isNotBlank();
            assertThat(field.getValue("notUndefined")).as(name).isEqualTo(true);
            assertThat(field.getValue("default")).as(name).isInstanceOf(String.class);
        }
    }

    @Test
    void a_choice_of_an_earlier_version_is_shown_as_before_and_kept_as_a_constant() {
        TestElement kill = Plan.element(new MasterKill(), "action", "fire, then heal");
        TestBeanGUI window = new TestBeanGUI(MasterKill.class);
        window.configure(kill);
        window.modifyTestElement(kill);
        assertThat(kill.getPropertyAsString("action")).isEqualTo(MasterKill.FIRE_AND_HEAL);
    }

    @Test
    void a_new_master_kill_waits_for_a_baseline_before_it_fires() {
        TestElement kill = new TestBeanGUI(MasterKill.class).createTestElement();
        assertThat(kill.getPropertyAsString("delay")).isEqualTo("10s");
    }

    /** JMeter makes a step that can be undone of each change, and forgets what could be done again. */
    @ParameterizedTest
    @MethodSource("elements")
    void to_look_at_an_element_changes_nothing_of_it(TestElement kind) throws Exception {
        TestBeanGUI window = new TestBeanGUI(kind.getClass());
        TestElement element = window.createTestElement();
        for (TestElement looked : List.of(element, PlanFile.savedAndLoaded(element))) {
            TestElement before = (TestElement) looked.clone();
            window.configure(looked);
            window.modifyTestElement(looked);
            assertThat(looked).isEqualTo(before);
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

    @Test
    void the_target_file_has_a_button_to_look_for_it() {
        BeanInfo info = new BalancerTargetBeanInfo();
        Component file = editorOf(info, "targetFile").getCustomEditor();
        assertThat(((JPanel) file).getComponents()).hasAtLeastOneElementOfType(JButton.class);
    }

    /** In its tooltip; a choice is never empty. */
    @ParameterizedTest
    @MethodSource("elements")
    void the_tooltip_of_a_field_says_what_an_empty_one_means(TestElement element) throws Exception {
        BeanInfo info = Introspector.getBeanInfo(element.getClass());
        for (PropertyDescriptor field : fields(info)) {
            if (field.getValue(GenericTestBeanCustomizer.TAGS) != null) {
                continue;
            }
            assertThat(field.getShortDescription()).as(field.getName()).matches("(?s).* Empty: .+\\.</body></html>");
        }
    }

    @ParameterizedTest
    @MethodSource("elements")
    void a_cleared_field_has_its_default_again_and_so_has_one_that_an_older_plan_does_not_know(TestElement element)
            throws Exception {
        BeanInfo info = Introspector.getBeanInfo(element.getClass());
        for (PropertyDescriptor field : fields(info)) {
            if (field.getPropertyEditorClass() == null) {
                continue;
            }
            FieldEditor editor = editorOf(info, field.getName());
            editor.setValue("typed");
            assertThat(editor.getValue()).isEqualTo("typed");
            editor.clearGui();
            assertThat(editor.getValue()).isEqualTo(field.getValue("default"));
            editor.setValue("typed");
            editor.setValue(null);
            assertThat(editor.getValue()).isEqualTo(field.getValue("default"));
        }
    }

    /** As JMeter makes it. */
    private static FieldEditor editorOf(BeanInfo info, String name) {
        PropertyDescriptor descriptor = fields(info).stream()
                .filter(field -> field.getName().equals(name))
                .findFirst()
                .orElseThrow();
        assertThat(descriptor.getPropertyEditorClass()).as(name).isEqualTo(FieldEditor.class);
        FieldEditor editor = new FieldEditor();
        editor.setDescriptor(descriptor);
        editor.setValue(descriptor.getValue("default"));
        return editor;
    }

    /** What the generated panel shows. */
    private static List<PropertyDescriptor> fields(BeanInfo info) {
        return Arrays.stream(info.getPropertyDescriptors())
                .filter(field -> field.getValue(GenericTestBeanCustomizer.GROUP) != null)
                .toList();
    }
}
