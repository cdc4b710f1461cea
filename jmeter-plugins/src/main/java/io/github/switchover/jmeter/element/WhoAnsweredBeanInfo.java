package io.github.switchover.jmeter.element;

/** The fields of a Who Answered. */
public final class WhoAnsweredBeanInfo extends ElementBeanInfo {

    public WhoAnsweredBeanInfo() {
        super(WhoAnswered.class);
        group("headers", "backendHeader", "balancerHeader", "upstreamTimeHeader");
        field("backendHeader", "");
        field("balancerHeader", "");
        field("upstreamTimeHeader", "");
    }
}
