package io.github.switchover.jmeter.element;

/** Found by JMeter under this name. */
public final class NginxStatusBeanInfo extends ElementBeanInfo {

    public NginxStatusBeanInfo() {
        super(NginxStatus.class);
    }
}
