package io.github.switchover.jmeter.element;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.jmeter.control.LoopController;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.engine.util.NoThreadClone;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.testbeans.gui.TestBeanGUI;
import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.TestPlan;
import org.apache.jmeter.testelement.TestStateListener;
import org.apache.jmeter.threads.ThreadGroup;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.ListedHashTree;

/** JMeter in this JVM: its properties, and plans of a few elements. */
final class InProcess {

    /** Of every plan; it holds {@code true}. */
    static final String VARIABLE = "meant";

    private static final long BOUND_S = 60;

    private InProcess() {}

    /** Once a JVM: JMeter keeps its home in static fields. */
    static synchronized void prepare() {
        if (JMeterUtils.getJMeterHome() != null) {
            return;
        }
        try {
            File home = Files.createTempDirectory("jmeter").toFile();
            Path bin = Files.createDirectories(home.toPath().resolve("bin"));
            for (String name : List.of("jmeter.properties", "saveservice.properties", "upgrade.properties")) {
                try (InputStream file = JMeterUtils.class.getResourceAsStream("/bin/" + name)) {
                    Files.copy(file, bin.resolve(name));
                }
            }
            JMeterUtils.setJMeterHome(home.toString());
            JMeterUtils.loadJMeterProperties(bin.resolve("jmeter.properties").toString());
            JMeterUtils.setLocale(Locale.ENGLISH);
            SaveService.loadProperties();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** With a field for each pair of its name and its value. */
    static <T extends TestElement> T element(T element, String... fields) {
        element.setName(element.getClass().getSimpleName());
        element.setProperty(TestElement.TEST_CLASS, element.getClass().getName());
        element.setProperty(TestElement.GUI_CLASS, TestBeanGUI.class.getName());
        for (int i = 0; i < fields.length; i += 2) {
            element.setProperty(fields[i], fields[i + 1]);
        }
        return element;
    }

    /** The elements stand in the plan, the samplers in a thread group. */
    static HashTree plan(int threads, int loops, List<TestElement> elements, List<TestElement> samplers) {
        LoopController controller = new LoopController();
        controller.setLoops(loops);
        controller.setFirst(true);
        ThreadGroup group = new ThreadGroup();
        group.setName("users");
        group.setNumThreads(threads);
        group.setRampUp(0);
        group.setSamplerController(controller);
        HashTree tree = new ListedHashTree();
        TestPlan top = new TestPlan("plan");
        top.addParameter(VARIABLE, "true");
        HashTree plan = tree.add(top);
        elements.forEach(plan::add);
        HashTree users = plan.add(group);
        samplers.forEach(users::add);
        return tree;
    }

    /** A test that is on. */
    static final class Running {

        private final StandardJMeterEngine engine = new StandardJMeterEngine();
        private final End end = new End();

        Running(HashTree tree) throws Exception {
            tree.add(tree.getArray()[0], end);
            engine.configure(tree);
            engine.runTest();
        }

        void stop() {
            engine.stopTest(true);
        }

        void awaitEnd() throws InterruptedException {
            if (!end.reached.await(BOUND_S, TimeUnit.SECONDS)) {
                throw new AssertionError("the test has not ended");
            }
        }
    }

    /** The last of a plan to be told. */
    public static final class End extends AbstractTestElement implements TestStateListener {

        private static final long serialVersionUID = 1L;
        private final transient CountDownLatch reached = new CountDownLatch(1);

        @Override
        public void testStarted() {
            // It waits for the end.
        }

        @Override
        public void testStarted(String host) {
            testStarted();
        }

        @Override
        public void testEnded() {
            reached.countDown();
        }

        @Override
        public void testEnded(String host) {
            testEnded();
        }
    }

    /** The samples of a test. */
    public static final class Kept extends AbstractTestElement implements SampleListener, NoThreadClone {

        private static final long serialVersionUID = 1L;
        private final transient List<SampleResult> results = new CopyOnWriteArrayList<>();

        List<SampleResult> results() {
            return results;
        }

        @Override
        public void sampleOccurred(SampleEvent event) {
            results.add(event.getResult());
        }

        @Override
        public void sampleStarted(SampleEvent event) {
            // Only what has ended is kept.
        }

        @Override
        public void sampleStopped(SampleEvent event) {
            // Only what has ended is kept.
        }
    }
}
