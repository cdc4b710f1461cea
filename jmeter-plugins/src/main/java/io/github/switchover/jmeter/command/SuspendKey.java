package io.github.switchover.jmeter.command;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Ctrl-Z. A JVM whose fault is in force must not stand still: while it is {@link #ignore ignored}, the key says so and
 * does nothing. Where this Java or this system has no such signal, nothing changes: the watchdog heals.
 *
 * <p>{@code sun.misc.Signal} is the only way to it, and reached by its name, since compilers warn of it.
 */
public final class SuspendKey {

    private static final String SIGNAL = "sun.misc.Signal";
    private static final String HANDLER = "sun.misc.SignalHandler";
    private static final String NAME = "TSTP";

    private static Object before;

    private SuspendKey() {}

    /** From now on the key only has {@code said} called. */
    public static synchronized void ignore(Runnable said) {
        if (before == null) {
            try {
                Class<?> handler = Class.forName(HANDLER);
                MethodHandle saying = MethodHandles.dropArguments(
                        MethodHandles.lookup()
                                .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
                                .bindTo(said),
                        0,
                        Class.forName(SIGNAL));
                before = handle(MethodHandleProxies.asInterfaceInstance(handler, saying));
            } catch (Throwable error) {
                before = null;
            }
        }
    }

    /** The key does what it did before. */
    public static synchronized void restore() {
        if (before != null) {
            try {
                handle(before);
            } catch (Throwable error) {
                return; // it was set a moment ago, so it can be
            } finally {
                before = null;
            }
        }
    }

    /** The handler until now. */
    private static Object handle(Object next) throws Throwable {
        Class<?> signal = Class.forName(SIGNAL);
        Class<?> handler = Class.forName(HANDLER);
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        Object suspend = lookup.findConstructor(signal, MethodType.methodType(void.class, String.class))
                .invoke(NAME);
        return lookup.findStatic(signal, "handle", MethodType.methodType(handler, signal, handler))
                .invoke(suspend, next);
    }
}
