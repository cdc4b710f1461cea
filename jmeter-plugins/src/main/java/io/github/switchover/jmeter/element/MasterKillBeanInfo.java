package io.github.switchover.jmeter.element;

/** The fields of a Master Kill. */
public final class MasterKillBeanInfo extends ElementBeanInfo {

    public MasterKillBeanInfo() {
        super(MasterKill.class);
        group("what", "fault", "action");
        group("when", "delay", "hold");
        field("fault", "${__P(switchover.fault,haproxy-kill)}");
        choice("action", MasterKill.FIRE_AND_HEAL, MasterKill.FIRE, MasterKill.HEAL, MasterKill.EXTERNAL);
        field("delay", "10s");
        field("hold", "${__P(switchover.hold,11s)}");
    }
}
