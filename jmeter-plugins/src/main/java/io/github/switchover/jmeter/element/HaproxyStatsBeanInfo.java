package io.github.switchover.jmeter.element;

/** JMeter finds this class by its name. */
public final class HaproxyStatsBeanInfo extends ElementBeanInfo {

    public HaproxyStatsBeanInfo() {
        super(HaproxyStats.class);
    }
}
