package io.github.switchover.jmeter.element;

/** The fields of HAProxy Stats. */
public final class HaproxyStatsBeanInfo extends ElementBeanInfo {

    public HaproxyStatsBeanInfo() {
        super(HaproxyStats.class);
        group("where", "node", "source", "timeout");
        group("what", "proxies", "prefix");
        field("node", "lb1");
        field("source", "");
        field("timeout", "2s");
        field("proxies", "");
        field("prefix", "haproxy");
    }
}
