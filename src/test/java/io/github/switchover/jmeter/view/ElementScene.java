package io.github.switchover.jmeter.view;

import static io.github.switchover.jmeter.view.GuiScenes.inWindow;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.PlanFile;
import io.github.switchover.jmeter.element.SwitchoverListener;
import java.awt.Component;
import java.awt.Container;
import java.io.IOException;
import javax.swing.JTextField;
import org.apache.jmeter.testelement.TestElement;

/** A Switchover Listener is made, edited, saved in a test plan, loaded and cleared. */
final class ElementScene {

    private ElementScene() {}

    static void play() throws IOException {
        SwitchoverListenerGui gui = inWindow(SwitchoverListenerGui::new);
        TestElement made = inWindow(gui::createTestElement);
        assertThat(made).isInstanceOf(SwitchoverListener.class);
        assertThat(made.getPropertyAsString(TestElement.GUI_CLASS)).isEqualTo(SwitchoverListenerGui.class.getName());
        assertThat(made.getName()).isEqualTo("Switchover Listener");
        SwitchoverListener edited = new SwitchoverListener();
        inWindow(() -> {
            gui.configure(made);
            gui.setName("mine");
            gui.setComment("a comment");
            field(gui, "Folder of the runs:").setText("${__P(out,runs)}");
            field(gui, "Name of the run:").setText("${name}");
            gui.modifyTestElement(edited);
            return null;
        });
        assertThat(edited.getPropertyAsString(SwitchoverListener.OUT)).isEqualTo("${__P(out,runs)}");
        edited.setProperty(TestElement.TEST_CLASS, SwitchoverListener.class.getName());
        edited.setProperty(TestElement.GUI_CLASS, SwitchoverListenerGui.class.getName());
        SwitchoverListener loaded = PlanFile.savedAndLoaded(edited);
        SwitchoverListenerGui other = inWindow(SwitchoverListenerGui::new);
        SwitchoverListener again = new SwitchoverListener();
        inWindow(() -> {
            other.configure(loaded);
            other.modifyTestElement(again);
            return null;
        });
        assertThat(again.getName()).isEqualTo("mine");
        assertThat(again.getComment()).isEqualTo("a comment");
        assertThat(again.getPropertyAsString(SwitchoverListener.OUT)).isEqualTo("${__P(out,runs)}");
        assertThat(again.getPropertyAsString(SwitchoverListener.RUN_NAME)).isEqualTo("${name}");
        inWindow(() -> {
            other.clearGui();
            other.modifyTestElement(again);
            return null;
        });
        assertThat(again.getPropertyAsString(SwitchoverListener.OUT)).isEmpty();
        assertThat(again.getName()).isEqualTo("Switchover Listener");
    }

    private static JTextField field(Container container, String name) {
        for (Component child : container.getComponents()) {
            JTextField found = child instanceof JTextField text && name.equals(text.getName())
                    ? text
                    : child instanceof Container inner ? field(inner, name) : null;
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
