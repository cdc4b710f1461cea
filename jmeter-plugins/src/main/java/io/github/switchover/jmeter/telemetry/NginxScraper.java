package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.ChildProcesses;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.target.Source;
import java.util.List;
import java.util.Map;

record NginxScraper(String node, Source page, ChildProcesses children) implements Scraper {

    @Override
    public String source() {
        return "nginx";
    }

    @Override
    public List<Reading> scrape(long sentNs) {
        NginxSnapshot status = NginxSnapshot.read(page, Transport.TIMEOUT_S, children);
        return List.of(new Reading(Measurements.NGINX, Map.of("node", node), status.fields()));
    }
}
