package io.github.switchover.jmeter.view;

import static io.github.switchover.jmeter.view.GuiScenes.inWindow;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.PlanFile;
import java.awt.Component;
import java.awt.Container;
import java.beans.BeanInfo;
import java.beans.IntrospectionException;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.swing.JComboBox;
import javax.swing.JFrame;
import javax.swing.text.JTextComponent;
import org.apache.jmeter.testbeans.gui.GenericTestBeanCustomizer;
import org.apache.jmeter.testbeans.gui.TestBeanGUI;
import org.apache.jmeter.testelement.TestElement;

/** An element whose window JMeter generates is made, edited in each of its fields, saved, loaded and cleared. */
final class BeanScene {

    /** The first of its choices stands in a new element. */
    private static final int SECOND = 1;

    private BeanScene() {}

    static void play(Class<? extends TestElement> kind) throws IOException, IntrospectionException {
        Map<String, String> usual = new TreeMap<>();
        fields(kind).forEach(field -> usual.put(field.getName(), (String) field.getValue("default")));
        TestBeanGUI gui = inWindow(() -> new TestBeanGUI(kind));
        TestElement made = inWindow(gui::createTestElement);
        assertThat(made).isInstanceOf(kind);
        assertThat(texts(made, usual)).isEqualTo(usual);
        JFrame window = shown(gui, made);
        List<String> typed = inWindow(() -> typed(gui));
        assertThat(typed).hasSameSizeAs(usual.keySet());
        TestElement edited = inWindow(() -> modified(gui, kind));
        assertThat(texts(edited, usual).values()).containsExactlyInAnyOrderElementsOf(typed);
        assertThat(edited.getName()).isEqualTo("mine");

        TestElement loaded = PlanFile.savedAndLoaded(edited);
        TestBeanGUI other = inWindow(() -> new TestBeanGUI(kind));
        inWindow(() -> {
            other.configure(loaded);
            return null;
        });
        TestElement again = inWindow(() -> modified(other, kind));
        assertThat(texts(again, usual)).isEqualTo(texts(edited, usual));
        assertThat(again.getName()).isEqualTo("mine");
        inWindow(() -> {
            other.clearGui();
            window.dispose();
            return null;
        });
        assertThat(texts(inWindow(() -> modified(other, kind)), usual)).isEqualTo(usual);
    }

    /** As JMeter does when the element is chosen in its tree. */
    private static JFrame shown(TestBeanGUI gui, TestElement element) {
        return inWindow(() -> {
            gui.configure(element);
            gui.setName("mine");
            JFrame frame = new JFrame("element");
            frame.add(gui);
            frame.setSize(PanelWindow.WIDTH, PanelWindow.HEIGHT);
            frame.setVisible(true);
            return frame;
        });
    }

    private static TestElement modified(TestBeanGUI gui, Class<? extends TestElement> kind) throws Exception {
        TestElement element = kind.getDeclaredConstructor().newInstance();
        gui.modifyTestElement(element);
        return element;
    }

    /** Another text into each field, another choice where it has some; what was typed. */
    private static List<String> typed(TestBeanGUI gui) {
        List<String> typed = new ArrayList<>();
        editors(gui).forEach(editor -> {
            String text = "${__P(a.b," + typed.size() + ")} <&>";
            if (editor instanceof JTextComponent field) {
                field.setText(text);
            } else if (editor instanceof JComboBox<?> field && field.isEditable()) {
                field.setSelectedItem(text);
            } else if (editor instanceof JComboBox<?> choice) {
                choice.setSelectedIndex(SECOND);
                text = String.valueOf(choice.getSelectedItem());
            }
            typed.add(text);
        });
        return typed;
    }

    /** Those of the element's own fields: not its name, and not its comment. */
    private static Stream<Component> editors(Container container) {
        return below(container)
                .filter(GenericTestBeanCustomizer.class::isInstance)
                .flatMap(fields -> below((Container) fields))
                .filter(child -> child instanceof JComboBox || child instanceof JTextComponent);
    }

    /** Fields, and what holds them. */
    private static Stream<Component> below(Container container) {
        return Arrays.stream(container.getComponents())
                .flatMap(child -> child instanceof JComboBox || !(child instanceof Container inner)
                        ? Stream.of(child)
                        : Stream.concat(Stream.of(child), below(inner)));
    }

    private static Map<String, String> texts(TestElement element, Map<String, String> fields) {
        Map<String, String> texts = new TreeMap<>();
        fields.keySet().forEach(name -> texts.put(name, element.getPropertyAsString(name)));
        return texts;
    }

    private static List<PropertyDescriptor> fields(Class<?> kind) throws IntrospectionException {
        BeanInfo info = Introspector.getBeanInfo(kind);
        return Arrays.stream(info.getPropertyDescriptors())
                .filter(field -> field.getValue(GenericTestBeanCustomizer.GROUP) != null)
                .toList();
    }
}
