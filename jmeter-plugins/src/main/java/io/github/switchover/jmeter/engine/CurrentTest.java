package io.github.switchover.jmeter.engine;

import java.lang.reflect.Field;
import java.util.function.BooleanSupplier;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.modifiers.SampleTimeout;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.services.FileServer;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.JMeterThread;
import org.apache.jorphan.collections.SearchByClass;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The test that runs in this JVM. */
public final class CurrentTest {

    private static final Logger log = LoggerFactory.getLogger(CurrentTest.class);

    /** JMeter has no method for this value, so the field is read. Null: this version of JMeter has no such field. */
    private static final @Nullable Field RUNNING = field(JMeterThread.class, "running");

    /** The engine of the test that runs in this JVM; JMeter forgets it at a Shutdown or a Stop. */
    private static final @Nullable Field ENGINE = field(StandardJMeterEngine.class, "engine");

    /** Returns the file name of the plan. */
    public static @Nullable String planFile() {
        return FileServer.getFileServer().getScriptName();
    }

    /** Returns the start of the test in epoch ms, which is different for each test; 0: no test is running. */
    public static long startedMs() {
        return JMeterContextService.getTestStartTime();
    }

    /** Returns the number of running threads. Each thread is a user. */
    public static int users() {
        return JMeterContextService.getNumberOfThreads();
    }

    /** True if JMeter ordered this context's thread to end: by its schedule, a Shutdown or a Stop. */
    public static boolean isStopping(JMeterContext context) {
        JMeterThread thread = context.getThread();
        return thread != null && Boolean.FALSE.equals(value(RUNNING, thread));
    }

    /** True if JMeter ordered this thread to end. */
    public static boolean isStopping() {
        return isStopping(JMeterContextService.getContext());
    }

    /** Returns a supplier that is true once this JVM's test is stopping; never for a test that runs on servers. */
    public static BooleanSupplier stopping() {
        Object begun = value(ENGINE, null);
        return () -> begun != null && value(ENGINE, null) != begun;
    }

    /** Returns the time in ms after which a Sample Timeout of the thread group cuts samples; 0: never. */
    public static int sampleTimeoutMs() {
        JMeterThread thread = JMeterContextService.getContext().getThread();
        if (thread == null) {
            return 0;
        }
        SearchByClass<SampleTimeout> timeouts = new SearchByClass<>(SampleTimeout.class);
        thread.getTestTree().traverse(timeouts);
        return timeouts.getSearchResults().stream()
                .mapToInt(timeout -> timeout.getPropertyAsInt("InterruptTimer.timeout"))
                .filter(ms -> ms > 0)
                .min()
                .orElse(0);
    }

    /** The sampler of this thread's current sample. */
    public static Sampler sampler() {
        return JMeterContextService.getContext().getCurrentSampler();
    }

    /** The value of the field. */
    private static @Nullable Object value(@Nullable Field field, @Nullable Object owner) {
        try {
            return field == null ? null : field.get(owner);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    private static @Nullable Field field(Class<?> owner, String name) {
        try {
            Field field = owner.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException | RuntimeException error) {
            log.warn("Switchover: this JMeter does not show if a test is being stopped: {}", error.toString());
            return null;
        }
    }
}
