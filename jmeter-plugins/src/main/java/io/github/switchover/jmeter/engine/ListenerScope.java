package io.github.switchover.jmeter.engine;

import java.io.File;
import java.io.IOException;
import java.util.function.Predicate;
import org.apache.jmeter.control.ReplaceableController;
import org.apache.jmeter.control.TestFragmentController;
import org.apache.jmeter.gui.tree.JMeterTreeNode;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.services.FileServer;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jorphan.collections.HashTree;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the samplers of a plan that a listener records: those below the parent of the listener. An element does not
 * know its place in the plan. So the plan is read again, from the window or from its file.
 */
public final class ListenerScope {

    private static final Logger log = LoggerFactory.getLogger(ListenerScope.class);

    private final Class<? extends TestElement> listener;
    private final Predicate<TestElement> isRequest;
    private TestElement place;
    private int heard;

    private ListenerScope(Class<? extends TestElement> listener, Predicate<TestElement> isRequest) {
        this.listener = listener;
        this.isRequest = isRequest;
    }

    /**
     * Returns one line about the problem. Null: the first listener of this class records all samplers of the current
     * plan, or the plan is unknown.
     *
     * @param isRequest selects the samplers that count
     */
    public static String problem(Class<? extends TestElement> listener, Predicate<TestElement> isRequest) {
        HashTree plan = currentPlan();
        return plan == null ? null : problem(plan, listener, isRequest);
    }

    static String problem(HashTree plan, Class<? extends TestElement> listener, Predicate<TestElement> isRequest) {
        ListenerScope scope = new ListenerScope(listener, isRequest);
        int all = scope.count(plan);
        return scope.place == null || scope.heard == all
                ? null
                : "the Switchover Listener stands in " + scope.place.getName() + " and records " + scope.heard
                        + " of the " + all + " samplers of the plan: move it to the top of the plan";
    }

    /** Counts the samplers below a node, and finds the place of the listener. */
    private int count(HashTree tree) {
        int found = 0;
        for (Object key : tree.list()) {
            TestElement element = element(key);
            if (element == null || !element.isEnabled() || element instanceof TestFragmentController) {
                continue;
            }
            boolean counts = element instanceof Sampler && isRequest.test(element);
            HashTree below = element instanceof ReplaceableController && !isModule(element)
                    ? included((ReplaceableController) element.clone())
                    : tree.getTree(key);
            int here = (counts ? 1 : 0) + count(below);
            if (place == null && below.list().stream().anyMatch(this::isListener)) {
                place = element;
                heard = here;
            }
            found += here;
        }
        return found;
    }

    /**
     * Returns true for a Module Controller. It refers to another part of the same plan, which is counted at its own
     * place.
     */
    private static boolean isModule(TestElement element) {
        return element.getClass().getName().equals("org.apache.jmeter.control.ModuleController");
    }

    /** Returns the plan that an Include Controller reads from its file. */
    private static HashTree included(ReplaceableController include) {
        include.resolveReplacementSubTree(null);
        HashTree found = include.getReplacementSubTree();
        return found == null ? new HashTree() : found;
    }

    private boolean isListener(Object key) {
        TestElement element = element(key);
        return listener.isInstance(element) && element.isEnabled();
    }

    private static TestElement element(Object key) {
        if (key instanceof JMeterTreeNode node) {
            return node.getTestElement();
        }
        return key instanceof TestElement element ? element : null;
    }

    /** Returns the plan of the current test; null if unknown. */
    private static HashTree currentPlan() {
        if (JMeterWindow.isOpen()) {
            return JMeterWindow.plan();
        }
        String name = CurrentTest.planFile();
        if (name == null) {
            return null;
        }
        try {
            return SaveService.loadTree(new File(FileServer.getFileServer().getBaseDir(), name));
        } catch (IOException | RuntimeException error) {
            log.debug("Switchover: the plan cannot be read again: {}", error.toString());
            return null;
        }
    }
}
