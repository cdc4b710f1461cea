package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.Leash;
import io.github.switchover.jmeter.target.Source;
import java.util.List;
import java.util.Map;

record NginxScraper(String node, Source page, Leash leash) implements Scraper {

    @Override
    public String source() {
        return "nginx";
    }

    @Override
    public List<Reading> scrape(long sentNs) {
        NginxStatus status = NginxStatus.read(page, Transport.TIMEOUT_S, leash);
        return List.of(new Reading("switchover_nginx", Map.of("node", node), status.fields()));
    }
}
