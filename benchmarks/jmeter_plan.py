"""Test plans of the contestants, as JMeter saves them."""

from collections.abc import Sequence
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

PACKAGE = "io.github.switchover.jmeter"
INFLUXDB = "org.apache.jmeter.visualizers.backend.influxdb"

ATTRIBUTION = r"""
def backend = prev.responseHeaders =~ /(?mi)^X-Backend:\s*(.*)$/
def balancer = prev.responseHeaders =~ /(?mi)^X-Balancer:\s*(.*)$/
def server = backend.find() ? backend.group(1).trim() : ''
def node = balancer.find() ? balancer.group(1).trim() : ''
vars.put('backend', server)
vars.put('balancer', node)
vars.put('answered_by', server ? 'backend' : node ? 'balancer' : 'unknown')
"""
"""What a user writes who wants to know who answered, and has only JMeter."""


def plan(group: Sequence[str], beside: Sequence[str] = ()) -> str:
    """Of one thread group, and what stands beside it. Each element comes with its subtree."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>'
        + element("TestPlan", "TestPlanGui", "plan", inside=(*beside, *group))
        + "</hashTree></jmeterTestPlan>\n"
    )


def users(count: int, *inside: str, seconds: int = 0) -> str:
    """As fast as they go; for ever, or for so long."""
    loop = (
        '<elementProp name="ThreadGroup.main_controller" elementType="LoopController" guiclass="LoopControlPanel" '
        'testclass="LoopController"><intProp name="LoopController.loops">-1</intProp>'
        '<boolProp name="LoopController.continue_forever">false</boolProp></elementProp>'
    )
    fields = {
        "ThreadGroup.num_threads": count,
        "ThreadGroup.ramp_time": 0,
        "ThreadGroup.on_sample_error": "continue",
        "ThreadGroup.same_user_on_next_iteration": True,
        "ThreadGroup.scheduler": seconds > 0,
        "ThreadGroup.duration": seconds,
    }
    return element("ThreadGroup", "ThreadGroupGui", "users", fields, extra=loop, inside=inside)


def http(url: str, *inside: str, timeouts_ms: tuple[int, int] = (5000, 20000)) -> str:
    """JMeter's own sampler on kept connections; its time-outs to connect and to answer."""
    at = urlsplit(url)
    fields = {
        "HTTPSampler.protocol": at.scheme,
        "HTTPSampler.domain": at.hostname,
        "HTTPSampler.port": at.port,
        "HTTPSampler.path": at.path,
        "HTTPSampler.method": "GET",
        "HTTPSampler.implementation": "HttpClient4",
        "HTTPSampler.use_keepalive": True,
        "HTTPSampler.follow_redirects": True,
        "HTTPSampler.connect_timeout": timeouts_ms[0],
        "HTTPSampler.response_timeout": timeouts_ms[1],
    }
    arguments = (
        '<elementProp name="HTTPsampler.Arguments" elementType="Arguments" guiclass="HTTPArgumentsPanel" '
        'testclass="Arguments"><collectionProp name="Arguments.arguments"/></elementProp>'
    )
    return element("HTTPSamplerProxy", "HttpTestSampleGui", "home", fields, extra=arguments, inside=inside)


def probe(url: str) -> str:
    return bean("element.BalancerProbe", url=url, connection="kept", timeoutConnect="5s", timeoutRead="300s")


def who_answered() -> str:
    return bean("element.WhoAnswered")


def target(file: str, out: str, rate: float) -> str:
    return bean("element.BalancerTarget", targetFile=file, out=out, probeRate=f"{rate:g}")


def listener() -> str:
    name = f"{PACKAGE}.element.SwitchoverListener"
    return element(name, f"{PACKAGE}.view.SwitchoverListenerGui", "listener")


def groovy() -> str:
    fields = {"scriptLanguage": "groovy", "cacheKey": "true", "parameters": "", "filename": "", "script": ATTRIBUTION}
    return element("JSR223PostProcessor", "TestBeanGUI", "attribution", fields)


def influxdb(client: str, url: str) -> str:
    """JMeter's own, with its usual settings."""
    values = {"influxdbMetricsSender": f"{INFLUXDB}.HttpMetricsSender", "influxdbUrl": url, "measurement": "jmeter"}
    if client == "InfluxdbBackendListenerClient":
        values |= {"application": "benchmark", "samplersRegex": ".*", "percentiles": "99;95;90"}
        values |= {"summaryOnly": "false"}
    arguments = "".join(
        f'<elementProp name="{name}" elementType="Argument"><stringProp name="Argument.name">{name}</stringProp>'
        f'<stringProp name="Argument.value">{escape(value)}</stringProp>'
        '<stringProp name="Argument.metadata">=</stringProp></elementProp>'
        for name, value in values.items()
    )
    extra = (
        '<elementProp name="arguments" elementType="Arguments" guiclass="ArgumentsPanel" testclass="Arguments">'
        f'<collectionProp name="Arguments.arguments">{arguments}</collectionProp></elementProp>'
    )
    return element(
        "BackendListener", "BackendListenerGui", "influxdb", {"classname": f"{INFLUXDB}.{client}"}, extra=extra
    )


def pause() -> str:
    """A user that does nothing: a second, again and again."""
    fields = {"ActionProcessor.action": 1, "ActionProcessor.target": 0, "ActionProcessor.duration": "1000"}
    return element("TestAction", "TestActionGui", "pause", fields)


def bean(kind: str, **fields: str) -> str:
    return element(f"{PACKAGE}.{kind}", "TestBeanGUI", kind.rpartition(".")[2], fields)


def element(
    kind: str,
    gui: str,
    name: str,
    fields: dict[str, object] | None = None,
    *,
    extra: str = "",
    inside: Sequence[str] = (),
) -> str:
    properties = "".join(_property(field, value) for field, value in (fields or {}).items())
    head = f'<{kind} guiclass="{gui}" testclass="{kind}" testname="{name}" enabled="true">'
    return f"{head}{properties}{extra}</{kind}><hashTree>{''.join(inside)}</hashTree>"


def _property(name: str, value: object) -> str:
    if isinstance(value, bool):
        return f'<boolProp name="{name}">{str(value).lower()}</boolProp>'
    if isinstance(value, int):
        return f'<intProp name="{name}">{value}</intProp>'
    return f'<stringProp name="{name}">{escape(str(value))}</stringProp>'
