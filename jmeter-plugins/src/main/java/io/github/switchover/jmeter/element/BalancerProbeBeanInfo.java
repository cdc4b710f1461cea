package io.github.switchover.jmeter.element;

/** Found by JMeter under this name. */
public final class BalancerProbeBeanInfo extends ElementBeanInfo {

    public BalancerProbeBeanInfo() {
        super(BalancerProbe.class);
    }
}
