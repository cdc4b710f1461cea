package io.github.switchover.jmeter.element;

/** The fields of a Balancer Probe. */
public final class BalancerProbeBeanInfo extends ElementBeanInfo {

    public BalancerProbeBeanInfo() {
        super(BalancerProbe.class);
        group("what", "url", "method", "headers", "body");
        group("how", "connection", "timeoutConnect", "timeoutRead");
        field("url", "");
        field("method", "GET")
                .setValue(TAGS, new String[] {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"});
        area("headers");
        area("body");
        field("connection", ProbeRequest.FRESH).setValue(TAGS, new String[] {ProbeRequest.FRESH, ProbeRequest.KEPT});
        field("timeoutConnect", "");
        field("timeoutRead", "");
    }
}
