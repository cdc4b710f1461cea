package io.github.switchover.jmeter.element;

/** Found by JMeter under this name. */
public final class MasterKillBeanInfo extends ElementBeanInfo {

    public MasterKillBeanInfo() {
        super(MasterKill.class);
    }
}
