package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.RunSettings.FaultSettings;

/** How it stands with the fault of a run: planned, fired, healed, or what went wrong with it. */
final class FaultState {

    private static final String FAULT = "fault";

    private FaultState() {}

    /** In one line; null where there is none, and none to come. */
    static String of(RunSnapshot snapshot) {
        return snapshot.time().moments().firedFromUs() == null ? waiting(snapshot) : fired(snapshot);
    }

    private static String waiting(RunSnapshot snapshot) {
        ShownRun run = snapshot.run();
        FaultSettings plan = run.plan();
        String name = run.fault() != null ? run.fault().name() : plan.faultPlanned();
        if (snapshot.state() != RunSnapshot.RunState.RUNNING || run.error() != null) {
            return name == null ? null : name + ": not fired";
        }
        if (name != null) {
            // Not armed: the user was asked in the window, and said No.
            String at = plan.faultAtS() == null ? "" : "planned at " + ViewText.into(plan.faultAtS()) + ", ";
            return name + ": " + at + (Boolean.FALSE.equals(plan.armed()) ? "not armed" : "armed");
        }
        return plan.armed() == null ? null : FAULT + ": " + (plan.armed() ? "none yet, armed" : "none, not armed");
    }

    private static String fired(RunSnapshot snapshot) {
        ShownRun run = snapshot.run();
        PlanTimes moments = snapshot.time().moments();
        String name = nameOf(run.fault());
        String from = into(moments, moments.firedFromUs());
        if (moments.healFromUs() != null) {
            return moments.healedUs() != null
                    ? name + ": " + from + " to " + into(moments, moments.healFromUs()) + ", healed"
                    : name + ": since " + from + ", NOT HEALED";
        }
        if (moments.confirmedUs() == null) {
            boolean failed = run.error() != null;
            return name + ": since " + from + (failed ? ", NOT CONFIRMED" : "");
        }
        Double healAtS =
                snapshot.state() == RunSnapshot.RunState.RUNNING ? run.plan().healAtS() : null;
        String next = healAtS == null ? "" : ", heal at " + ViewText.into(healAtS);
        return name + ": since " + from + ", confirmed" + next;
    }

    private static String nameOf(FaultRun fault) {
        if (fault == null) {
            return FAULT;
        }
        return fault.victim() == null ? fault.name() : fault.name() + " on " + fault.victim();
    }

    private static String into(PlanTimes moments, long atUs) {
        long startUs = moments.startUs() == null ? atUs : moments.startUs();
        return ViewText.into(Units.secondsOfUs(atUs - startUs));
    }
}
