package io.github.switchover.jmeter.element;

/** JMeter finds this class by its name. */
public final class BalancerTargetBeanInfo extends ElementBeanInfo {

    public BalancerTargetBeanInfo() {
        super(BalancerTarget.class);
    }
}
