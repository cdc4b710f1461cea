package io.github.switchover.jmeter.view.live;

/** How it stands with the fault of a run: planned, fired, healed, or what went wrong with it. */
final class FaultState {

    private static final String FAULT = "fault";

    private FaultState() {}

    /** Null where there is none, and none to come. */
    static Figures.Line of(Picture picture) {
        return picture.moments().firedUs() == null ? waiting(picture) : fired(picture);
    }

    private static Figures.Line waiting(Picture picture) {
        RunFacts run = picture.run();
        FaultPlan plan = run.plan();
        String name = run.fault() != null ? run.fault() : plan.fault();
        if (picture.state() != Picture.State.RUNNING || run.error() != null) {
            return name == null ? null : new Figures.Line(name, "not fired", true);
        }
        if (name != null) {
            // A run refuses to begin with a fault that it may not fire.
            String at = plan.atS() == null ? "" : "planned at " + Text.into(plan.atS()) + ", ";
            return new Figures.Line(name, at + "armed", false);
        }
        return plan.armed() == null
                ? null
                : new Figures.Line(FAULT, plan.armed() ? "none yet, armed" : "none, not armed", false);
    }

    private static Figures.Line fired(Picture picture) {
        RunFacts run = picture.run();
        Moments moments = picture.moments();
        String name = (run.fault() == null ? FAULT : run.fault()) + (run.victim() == null ? "" : " on " + run.victim());
        String from = into(moments, moments.firedUs());
        if (moments.healUs() != null) {
            return moments.healedUs() != null
                    ? new Figures.Line(name, from + " to " + into(moments, moments.healUs()) + ", healed", false)
                    : new Figures.Line(name, "since " + from + ", NOT HEALED", true);
        }
        if (moments.confirmedUs() == null) {
            boolean failed = run.error() != null;
            return new Figures.Line(name, "since " + from + (failed ? ", NOT CONFIRMED" : ""), failed);
        }
        Double healAtS = picture.state() == Picture.State.RUNNING ? run.plan().healAtS() : null;
        String next = healAtS == null ? "" : ", heal at " + Text.into(healAtS);
        return new Figures.Line(name, "since " + from + ", confirmed" + next, false);
    }

    private static String into(Moments moments, long atUs) {
        long startUs = moments.startUs() == null ? atUs : moments.startUs();
        return Text.into((atUs - startUs) / 1e6);
    }
}
