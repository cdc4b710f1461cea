package io.github.switchover.jmeter.element;

/** JMeter finds this class by its name. */
public final class MasterKillBeanInfo extends ElementBeanInfo {

    public MasterKillBeanInfo() {
        super(MasterKill.class);
    }
}
