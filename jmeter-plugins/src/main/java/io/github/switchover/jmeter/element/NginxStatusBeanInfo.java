package io.github.switchover.jmeter.element;

/** The fields of Nginx Status. */
public final class NginxStatusBeanInfo extends ElementBeanInfo {

    public NginxStatusBeanInfo() {
        super(NginxStatus.class);
        group("where", "node", "source", "timeout");
        group("what", "prefix");
        field("node", "lb1");
        field("source", "");
        field("timeout", "2s");
        field("prefix", "nginx");
    }
}
