package io.github.switchover.jmeter.element;

/** The fields of a Balancer Target. */
public final class BalancerTargetBeanInfo extends ElementBeanInfo {

    public BalancerTargetBeanInfo() {
        super(BalancerTarget.class);
        group("target", "targetFile");
        group("run", "out", "runName", "seed");
        group("probing", "probeRate", "keptRate", "timeoutConnect", "timeoutRead", "late", "scrapeInterval");
        group("verdict", "limits");
        group("streaming", "influx");
        group("faults", "fault", "faultAt", "healAt");
        file("targetFile", "${__P(switchover.target,)}");
        field("out", "${__P(switchover.out,runs)}");
        field("runName", "");
        field("seed", "${__P(switchover.seed,)}");
        field("probeRate", "${__P(switchover.probe.rate,)}");
        field("keptRate", "0");
        field("timeoutConnect", "");
        field("timeoutRead", "");
        field("late", "1s");
        field("scrapeInterval", "1s");
        lines("limits", "${__P(switchover.limits,)}");
        field("influx", "${__P(switchover.influx,)}");
        field("fault", "${__P(switchover.fault,)}");
        field("faultAt", "${__P(switchover.fault.at,)}");
        field("healAt", "${__P(switchover.heal.at,)}");
    }
}
