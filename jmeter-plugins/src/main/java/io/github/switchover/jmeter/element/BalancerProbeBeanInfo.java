package io.github.switchover.jmeter.element;

/** The fields of a Balancer Probe. */
public final class BalancerProbeBeanInfo extends ElementBeanInfo {

    public BalancerProbeBeanInfo() {
        super(BalancerProbe.class);
        group("what", "url", "method", "headers", "body");
        group("how", "connection", "timeoutConnect", "timeoutRead");
        field("url", "");
        choice("method", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
        lines("headers", "");
        text("body");
        choice("connection", ProbeRequest.FRESH, ProbeRequest.KEPT);
        field("timeoutConnect", "");
        field("timeoutRead", "");
    }
}
