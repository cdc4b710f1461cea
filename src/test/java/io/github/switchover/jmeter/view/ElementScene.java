package io.github.switchover.jmeter.view;

import static io.github.switchover.jmeter.view.GuiScenes.inWindow;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.PlanFile;
import io.github.switchover.jmeter.element.SwitchoverListener;
import java.io.IOException;
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
            gui.modifyTestElement(edited);
            return null;
        });
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
        inWindow(() -> {
            other.clearGui();
            other.modifyTestElement(again);
            return null;
        });
        assertThat(again.getName()).isEqualTo("Switchover Listener");
    }
}
