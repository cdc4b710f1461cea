package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.ResourceText;

/** Which version of this plugin is running. */
public final class Version {

    private Version() {}

    /** As it was built: {@code 0.1.0}. */
    public static String current() {
        return ResourceText.read(Version.class, "version.txt").strip();
    }
}
