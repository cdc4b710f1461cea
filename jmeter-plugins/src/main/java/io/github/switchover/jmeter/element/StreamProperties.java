package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.streaming.StreamSettings;
import io.github.switchover.jmeter.target.InfluxSettings;
import org.apache.jmeter.util.JMeterUtils;

/** Where the points of a run go. */
final class StreamProperties {

    static final String INFLUX_PROPERTY = "switchover.influx";
    static final String WAIT_PROPERTY = "switchover.influx_wait";

    private StreamProperties() {}

    /**
     * Null: nowhere, or where another process conducts the run, and streams it.
     *
     * @param url of a field; empty: the property's
     * @param file the target file's; null: it has none
     */
    static StreamSettings of(String url, InfluxSettings file) {
        if (Runs.ofThisJvm().isConducted()) {
            return null;
        }
        String property = JMeterUtils.getPropDefault(INFLUX_PROPERTY, "");
        String wait = JMeterUtils.getPropDefault(WAIT_PROPERTY, "");
        return StreamSettings.choose(
                url.isEmpty() ? property.strip() : url,
                file,
                System::getenv,
                new Field(WAIT_PROPERTY, wait).seconds(StreamSettings.WAIT_S));
    }
}
