package io.github.switchover.jmeter.element;

/** JMeter finds this class by its name. */
public final class WhoAnsweredBeanInfo extends ElementBeanInfo {

    public WhoAnsweredBeanInfo() {
        super(WhoAnswered.class);
    }
}
