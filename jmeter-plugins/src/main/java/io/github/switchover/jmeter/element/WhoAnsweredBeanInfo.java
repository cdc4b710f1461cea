package io.github.switchover.jmeter.element;

/** Found by JMeter under this name. */
public final class WhoAnsweredBeanInfo extends ElementBeanInfo {

    public WhoAnsweredBeanInfo() {
        super(WhoAnswered.class);
    }
}
