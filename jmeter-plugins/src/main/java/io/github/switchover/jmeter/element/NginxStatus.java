package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.telemetry.NginxKind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Nginx's {@code stub_status} page as variables such as {@code nginx_active}, and as text. */
public class NginxStatus extends StatisticsSampler {

    private static final long serialVersionUID = 1L;

    @Override
    @Nullable
    Source sourceOf(Node node) {
        return node.sources().nginx();
    }

    @Override
    String key() {
        return "nginx";
    }

    @Override
    Scraped scrape(Source from, double timeoutS) {
        Map<String, String> figures = new LinkedHashMap<>();
        NginxKind.read(from, timeoutS).forEach((name, number) -> figures.put(name, number.toString()));
        String text = figures.entrySet().stream()
                .map(figure -> figure.getKey() + "=" + figure.getValue())
                .collect(Collectors.joining("\n", "", "\n"));
        return new Scraped(figures, text);
    }
}
