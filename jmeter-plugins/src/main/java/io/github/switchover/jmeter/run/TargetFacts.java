package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a run writes down of its target. */
public final class TargetFacts {

    private TargetFacts() {}

    /** What the analysis needs to know of it; secrets stay out by being left out. */
    public static Map<String, Object> of(Target target) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("url", PublicText.url(target.endpoint().url()));
        facts.put("expect", target.endpoint().expect().toString());
        facts.put("exclusive", target.endpoint().exclusive());
        facts.put("aliases", target.identity().aliases());
        facts.put("nodes", target.nodes().stream().map(TargetFacts::of).toList());
        facts.put("lab", target.lab() != null);
        return facts;
    }

    private static Map<String, Object> of(Node node) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", node.name());
        facts.put("role", node.role().label());
        facts.put("host", node.host());
        facts.put("haproxy", node.haproxy() != null);
        facts.put("nginx", node.nginx() != null);
        facts.put("vip_owner", !node.vipOwner().isEmpty());
        facts.put("access_log", node.accessLog() != null);
        return facts;
    }
}
