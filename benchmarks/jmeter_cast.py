"""JMeter alone, with the plugins, and with what else it can be asked to do."""

from jmeter_contestants import JMeterContestant
from jmeter_plan import groovy, http, influxdb, listener, plan, probe, target, users, who_answered

PROBE_RATE = 100.0
"""The usual one. Held most of the time and then catching up, it sends several times as many while it plays."""

BARE, JTL, PROBE = "HttpClient4, no listener", "HttpClient4 + JTL", "Balancer Probe, keep-alive, no listener"
OURS = f"{JTL} + Switchover"
AGGREGATE, RAW, GROOVY = f"{JTL} + InfluxDB listener", f"{JTL} + raw InfluxDB listener", f"{JTL} + Groovy attribution"
VARIABLES = ("backend", "balancer", "answered_by")

CAST = [
    JMeterContestant(BARE, None, lambda s, d: plan([users(s.users, http(s.url))]), jtl=False),
    JMeterContestant(PROBE, BARE, lambda s, d: plan([users(s.users, probe(s.url))]), jtl=False),
    JMeterContestant(JTL, None, lambda s, d: plan([users(s.users, http(s.url))])),
    JMeterContestant(
        OURS,
        JTL,
        lambda s, d: plan(
            [users(s.users, http(s.url, who_answered()))],
            [target(str(s.balancer.target_file), str(d / "runs"), PROBE_RATE), listener()],
        ),
    ),
    JMeterContestant(
        AGGREGATE,
        JTL,
        lambda s, d: plan(
            [users(s.users, http(s.url))], [influxdb("InfluxdbBackendListenerClient", s.balancer.write_url)]
        ),
    ),
    JMeterContestant(
        RAW,
        JTL,
        lambda s, d: plan(
            [users(s.users, http(s.url))], [influxdb("InfluxDBRawBackendListenerClient", s.balancer.write_url)]
        ),
    ),
    JMeterContestant(GROOVY, JTL, lambda s, d: plan([users(s.users, http(s.url, groovy()))]), variables=VARIABLES),
]
