package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.faults.Guard;
import java.util.function.Supplier;

/** Everything but the kill. Its commands are printed where JMeter was started, and stand in no log. */
final class DryRun {

    private DryRun() {}

    /**
     * The run is one in which nothing is fired from here on. One that fails is why the run counts as not done.
     *
     * @param what the fault
     * @param survivor what is to stand in for the victim, in one line
     */
    static void of(String what, Supplier<String> survivor, Guard guard, RunRecord record, RunMessages notes) {
        record.change(run -> run.with(run.ending().asDryRun()));
        try {
            String found = survivor.get();
            notes.tell(found);
            print(found);
            guard.dryRun().forEach(DryRun::print);
        } catch (SwitchoverException error) {
            record.blame(error.getMessage());
            throw error;
        }
        String said = what + " dry run: nothing was fired";
        record.save();
        notes.tell(said);
        print(said);
    }

    private static void print(String line) {
        System.out.println("Switchover: " + line);
    }
}
