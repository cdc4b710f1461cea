package io.github.switchover.jmeter.drill;

import java.util.List;

/** What a rehearsal has found: its commands are printed where JMeter was started, and stand in no log. */
final class Rehearsal {

    private Rehearsal() {}

    /** {@code what}: the fault or the change. */
    static void tell(RunRecord record, RunMessages notes, String what, String survivor, List<String> lines) {
        notes.tell(survivor);
        System.out.println("Switchover: " + survivor);
        lines.forEach(line -> System.out.println("Switchover: " + line));
        String said = what + " was rehearsed: nothing was fired";
        record.change(run -> run.with(run.ending().asRehearsed()));
        record.save();
        notes.tell(said);
        System.out.println("Switchover: " + said);
    }
}
