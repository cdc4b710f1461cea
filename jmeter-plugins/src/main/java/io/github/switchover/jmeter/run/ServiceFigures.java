package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;

/**
 * How long the service was away.
 *
 * @param outage null without a prober
 * @param failback null where nothing was healed in time to be seen
 * @param prediction null where only {@code switchover report} can tell, like the following
 */
public record ServiceFigures(
        OutageFigures outage,
        OutageFigures failback,
        JsonElement prediction,
        JsonElement confirmation,
        JsonElement restoration,
        JsonElement timeline) {

    public ServiceFigures {
        prediction = RunFile.known(prediction);
        confirmation = RunFile.known(confirmation);
        restoration = RunFile.known(restoration);
        timeline = RunFile.known(timeline);
    }

    /** What the short verdict knows. */
    public ServiceFigures(OutageFigures outage, OutageFigures failback) {
        this(outage, failback, null, null, null, null);
    }
}
