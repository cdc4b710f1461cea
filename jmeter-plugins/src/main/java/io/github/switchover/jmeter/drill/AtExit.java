package io.github.switchover.jmeter.drill;

/** What is to be done if the JVM ends before somebody has said that there is no need: at Ctrl-C, say. */
final class AtExit {

    private final Runnable work;
    private Thread hook;

    AtExit(Runnable work) {
        this.work = work;
    }

    synchronized void arm() {
        if (hook != null) {
            return;
        }
        hook = new Thread(work, "switchover end");
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException ending) {
            hook = null;
        }
    }

    synchronized void disarm() {
        if (hook == null) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // It runs, or will find nothing to do.
        }
        hook = null;
    }
}
