package io.github.switchover.jmeter.engine;

import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.services.FileServer;
import org.apache.jmeter.threads.JMeterContextService;

/** What JMeter knows of the test that runs in this JVM. */
public final class CurrentTest {

    private CurrentTest() {}

    /** The file name of its plan; null where the plan has no file. */
    public static String planFile() {
        return FileServer.getFileServer().getScriptName();
    }

    /** When it began, in milliseconds of the epoch: another for each test. 0: none is on. */
    public static long startedMs() {
        return JMeterContextService.getTestStartTime();
    }

    /** How many threads, each a user, are running. */
    public static int users() {
        return JMeterContextService.getNumberOfThreads();
    }

    /** The sampler of this thread's current sample. */
    public static Sampler sampler() {
        return JMeterContextService.getContext().getCurrentSampler();
    }
}
