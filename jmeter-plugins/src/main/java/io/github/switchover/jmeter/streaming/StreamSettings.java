package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.target.InfluxSettings;
import java.util.function.UnaryOperator;

/**
 * That the points of a run go to a database.
 *
 * @param waitS how long the end of the run waits for what has not been sent yet
 */
public record StreamSettings(InfluxAddress address, InfluxCredentials credentials, double waitS) {

    public static final double WAIT_S = 10;

    /**
     * Where to; null: nowhere.
     *
     * <p>A URL comes before the target file's {@code [influx]}, and the environment's credentials before that file's;
     * those are for the server that they stand beside and for no other.
     *
     * @param url empty: none
     * @param file null: the target file names no database
     * @throws io.github.switchover.jmeter.core.UsageException in one line, if it cannot be
     */
    public static StreamSettings choose(
            String url, InfluxSettings file, UnaryOperator<String> environment, double waitS) {
        InfluxAddress configured = file == null ? null : InfluxAddress.of(file);
        InfluxAddress address = url.isEmpty() ? configured : InfluxAddress.of(url);
        if (address == null) {
            return null;
        }
        InfluxCredentials credentials = new InfluxCredentials(
                environment.apply(InfluxCredentials.TOKEN),
                environment.apply(InfluxCredentials.USER),
                environment.apply(InfluxCredentials.PASSWORD));
        if (credentials.equals(InfluxCredentials.NONE)
                && configured != null
                && configured.origin().equals(address.origin())) {
            credentials = new InfluxCredentials(file.token(), file.user(), file.password());
        }
        return new StreamSettings(address, credentials, waitS);
    }
}
