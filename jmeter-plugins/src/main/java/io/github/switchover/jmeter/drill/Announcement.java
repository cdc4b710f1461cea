package io.github.switchover.jmeter.drill;

import java.io.PrintStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says what came of a run where JMeter's own summary is read: in the log, and without a GUI on the console. */
final class Announcement {

    private static final Logger log = LoggerFactory.getLogger(Announcement.class);

    /** Set by JMeter's {@code -n}. */
    private static final String WITHOUT_GUI = "JMeter.NonGui";

    private Announcement() {}

    static void tell(RunResult finished) {
        finished.summary().forEach(line -> log.info("{}", line));
        log.info("Run directory: {}", finished.directory());
        if (Boolean.getBoolean(WITHOUT_GUI)) {
            print(System.out, finished);
        }
    }

    /** The last line says what tells more. */
    static void print(PrintStream out, RunResult finished) {
        finished.summary().forEach(out::println);
        out.println("Report: switchover report " + finished.directory());
        out.flush();
    }
}
