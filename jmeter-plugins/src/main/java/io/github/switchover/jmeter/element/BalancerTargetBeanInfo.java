package io.github.switchover.jmeter.element;

/** Found by JMeter under this name. */
public final class BalancerTargetBeanInfo extends ElementBeanInfo {

    public BalancerTargetBeanInfo() {
        super(BalancerTarget.class);
    }
}
