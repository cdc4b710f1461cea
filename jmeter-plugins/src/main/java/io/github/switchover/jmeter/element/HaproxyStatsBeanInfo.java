package io.github.switchover.jmeter.element;

/** Found by JMeter under this name. */
public final class HaproxyStatsBeanInfo extends ElementBeanInfo {

    public HaproxyStatsBeanInfo() {
        super(HaproxyStats.class);
    }
}
