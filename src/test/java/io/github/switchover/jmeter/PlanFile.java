package io.github.switchover.jmeter;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.jmeter.control.gui.TestPlanGui;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.TestPlan;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.ListedHashTree;

/** A test plan as a file. */
public final class PlanFile {

    private PlanFile() {}

    /** The element as it comes back out of a .jmx; it names its own classes. */
    @SuppressWarnings("unchecked")
    public static <T extends TestElement> T savedAndLoaded(T element) throws IOException {
        TestPlan top = new TestPlan("plan");
        top.setProperty(TestElement.TEST_CLASS, TestPlan.class.getName());
        top.setProperty(TestElement.GUI_CLASS, TestPlanGui.class.getName());
        HashTree tree = new ListedHashTree();
        tree.add(top).add(element);
        Path plan = Files.createTempFile("plan", ".jmx");
        try {
            try (OutputStream file = Files.newOutputStream(plan)) {
                SaveService.saveTree(tree, file);
            }
            HashTree read = SaveService.loadTree(plan.toFile());
            return (T) element.getClass().cast(read.getTree(read.getArray()[0]).getArray()[0]);
        } finally {
            Files.delete(plan);
        }
    }
}
