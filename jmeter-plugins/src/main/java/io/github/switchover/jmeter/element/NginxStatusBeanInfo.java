package io.github.switchover.jmeter.element;

/** JMeter finds this class by its name. */
public final class NginxStatusBeanInfo extends ElementBeanInfo {

    public NginxStatusBeanInfo() {
        super(NginxStatus.class);
    }
}
