package io.github.switchover.jmeter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.apache.jmeter.control.LoopController;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.protocol.http.sampler.HTTPSamplerProxy;
import org.apache.jmeter.testbeans.gui.TestBeanGUI;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.TestPlan;
import org.apache.jmeter.threads.ThreadGroup;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.ListedHashTree;

/** A test plan with one thread group, and the engine that runs it in this JVM. */
public final class Plan {

    private final HashTree root = new ListedHashTree();
    private final HashTree plan;
    private HashTree group;

    public Plan() {
        JMeterHome.load();
        TestPlan top = new TestPlan("plan");
        top.setEnabled(true);
        plan = root.add(top);
    }

    /** Elements of the whole plan. */
    public Plan with(TestElement... elements) {
        for (TestElement element : elements) {
            element.setEnabled(true);
            plan.add(element);
        }
        return this;
    }

    /** A thread group; the samplers are run one after the other, so many times by each of its threads. */
    public Plan group(int threads, int loops, TestElement... elements) {
        LoopController loop = new LoopController();
        loop.setLoops(loops);
        loop.setFirst(true);
        ThreadGroup threadGroup = new ThreadGroup();
        threadGroup.setName("users");
        threadGroup.setEnabled(true);
        threadGroup.setNumThreads(threads);
        threadGroup.setRampUp(0);
        threadGroup.setSamplerController(loop);
        group = plan.add(threadGroup);
        Arrays.stream(elements).forEach(element -> inGroup(element));
        return this;
    }

    /** An element of the last group, with what hangs below it. */
    public Plan inGroup(TestElement element, TestElement... below) {
        element.setEnabled(true);
        HashTree tree = group.add(element);
        for (TestElement child : below) {
            child.setEnabled(true);
            tree.add(child);
        }
        return this;
    }

    public HashTree tree() {
        return root;
    }

    /** Runs it to its end. */
    public void run() {
        engine().run();
    }

    /** Runs it beside the test. */
    public Running start() {
        return new Running(engine());
    }

    private StandardJMeterEngine engine() {
        StandardJMeterEngine engine = new StandardJMeterEngine();
        engine.configure(root);
        return engine;
    }

    /** An element as JMeter's window makes it, with a field for each pair of its name and its value. */
    public static <T extends TestElement> T element(T element, String... fields) {
        element.setName(element.getClass().getSimpleName());
        element.setProperty(TestElement.TEST_CLASS, element.getClass().getName());
        element.setProperty(TestElement.GUI_CLASS, TestBeanGUI.class.getName());
        for (int i = 0; i < fields.length; i += 2) {
            element.setProperty(fields[i], fields[i + 1]);
        }
        return element;
    }

    /** An HTTP request as a user makes one: followed redirects, connections kept. */
    public static HTTPSamplerProxy get(String name, int port, String path) {
        HTTPSamplerProxy sampler = new HTTPSamplerProxy();
        sampler.setName(name);
        sampler.setEnabled(true);
        sampler.setProtocol("http");
        sampler.setDomain("127.0.0.1");
        sampler.setPort(port);
        sampler.setPath(path);
        sampler.setMethod("GET");
        sampler.setFollowRedirects(true);
        sampler.setUseKeepAlive(true);
        sampler.setConnectTimeout("60000");
        sampler.setResponseTimeout("60000");
        return sampler;
    }

    /** A test that is on, in this JVM. */
    public static final class Running {

        private static final long BOUND_MS = 60_000;

        private final StandardJMeterEngine engine;
        private final Thread thread;

        private Running(StandardJMeterEngine engine) {
            this.engine = engine;
            thread = new Thread(engine, "test");
            thread.start();
        }

        /** {@code now}: without waiting for samples that are under way. */
        public void stop(boolean now) {
            engine.stopTest(now);
        }

        public void awaitEnd() throws InterruptedException {
            thread.join(BOUND_MS);
            assertThat(thread.isAlive()).as("the test goes on").isFalse();
        }
    }
}
