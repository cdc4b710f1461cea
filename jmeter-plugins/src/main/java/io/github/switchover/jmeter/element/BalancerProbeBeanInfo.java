package io.github.switchover.jmeter.element;

/** JMeter finds this class by its name. */
public final class BalancerProbeBeanInfo extends ElementBeanInfo {

    public BalancerProbeBeanInfo() {
        super(BalancerProbe.class);
    }
}
