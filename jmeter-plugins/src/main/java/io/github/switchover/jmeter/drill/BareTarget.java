package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.Target;
import java.util.List;
import java.util.Map;

/** A target of which no file tells: no nodes, no faults, and nothing is probed unless somebody names a URL. */
public final class BareTarget {

    private BareTarget() {}

    /** {@code url} may be empty. */
    public static Target of(String url) {
        return new Target(
                Endpoint.at(url),
                IdentitySettings.DEFAULT,
                List.of(),
                Map.of(),
                null,
                null,
                Target.TargetOrigin.UNKNOWN);
    }
}
