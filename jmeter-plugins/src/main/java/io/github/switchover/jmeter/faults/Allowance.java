package io.github.switchover.jmeter.faults;

/** A check before a fault that the user has switched off, by a property. */
public enum Allowance {

    /** Nothing needs to take over: the fault may hit the last balancer. */
    ALLOW_NO_BACKUP("switchover.allow.no.backup"),

    /** The URL need not lead to the virtual address of the nodes' keepalived.conf. */
    OTHER_ADDRESS("switchover.allow.other.address"),

    /** Nothing needs to identify the nodes. */
    UNIDENTIFIED("switchover.allow.unidentified");

    private final String property;

    Allowance(String property) {
        this.property = property;
    }

    public String property() {
        return property;
    }

    /** As it is typed at the start of JMeter. */
    public String option() {
        return "-J" + property + "=true";
    }
}
