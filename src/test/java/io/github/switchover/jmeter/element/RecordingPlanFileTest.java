package io.github.switchover.jmeter.element;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.testbeans.gui.TestBeanGUI;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.TestPlan;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.ListedHashTree;
import org.apache.jorphan.collections.SearchByClass;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingPlanFileTest {

    @TempDir
    Path folder;

    @BeforeAll
    static void jmeter() {
        JMeterHome.load();
    }

    @Test
    void the_listener_comes_back_as_it_was_saved() throws IOException {
        SwitchoverListener listener = new SwitchoverListener();
        listener.setProperty(SwitchoverListener.OUT, "${out}");
        listener.setProperty(SwitchoverListener.RUN_NAME, "load");
        listener.setProperty(SwitchoverListener.BACKEND_HEADER, "Served-By");
        listener.setProperty(SwitchoverListener.BALANCER_HEADER, "Via");
        SwitchoverListener back = saved(listener, SwitchoverListener.class);
        assertThat(back.getPropertyAsString(SwitchoverListener.OUT)).isEqualTo("${out}");
        assertThat(back.getPropertyAsString(SwitchoverListener.RUN_NAME)).isEqualTo("load");
        assertThat(back.getPropertyAsString(SwitchoverListener.BACKEND_HEADER)).isEqualTo("Served-By");
        assertThat(back.getPropertyAsString(SwitchoverListener.BALANCER_HEADER)).isEqualTo("Via");
    }

    private <T extends TestElement> T saved(T element, Class<T> type) throws IOException {
        element.setName("element");
        element.setProperty(TestElement.TEST_CLASS, type.getName());
        element.setProperty(TestElement.GUI_CLASS, TestBeanGUI.class.getName());
        HashTree tree = new ListedHashTree();
        TestPlan plan = new TestPlan("plan");
        plan.setProperty(TestElement.TEST_CLASS, TestPlan.class.getName());
        plan.setProperty(TestElement.GUI_CLASS, "TestPlanGui");
        tree.add(plan).add(element);
        File file = folder.resolve("plan.jmx").toFile();
        try (FileOutputStream stream = new FileOutputStream(file)) {
            SaveService.saveTree(tree, stream);
        }
        SearchByClass<T> found = new SearchByClass<>(type);
        SaveService.loadTree(file).traverse(found);
        assertThat(found.getSearchResults()).hasSize(1);
        return found.getSearchResults().iterator().next();
    }
}
