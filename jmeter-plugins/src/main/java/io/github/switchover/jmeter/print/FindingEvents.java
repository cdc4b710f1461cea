package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.Journal;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Judge;
import io.github.switchover.jmeter.judge.Outage;

/** What the analysis found, as events in the journal, for those who follow that: a database, a dashboard. */
public final class FindingEvents {

    private FindingEvents() {}

    /** The first failure and the first lasting success of the switchover, and of the failback. */
    public static void write(Journal journal, Judge.Assessment found) {
        write(journal, found.outage(), EventKind.FIRST_SUCCESS);
        write(journal, found.failback(), EventKind.FAILBACK);
    }

    private static void write(Journal journal, Outage outage, EventKind over) {
        if (outage == null || outage.firstImpairedUs() == null) {
            return;
        }
        String text = Numbers.fixed(Units.msOfUs(outage.durationUs()), 3) + " ms without a lasting answer";
        journal.event(EventKind.FIRST_FAILURE, text, outage.firstImpairedUs() * Units.NS_PER_US);
        if (outage.toUs() != null && !outage.censored()) {
            journal.event(over, text, outage.toUs() * Units.NS_PER_US);
        }
    }
}
