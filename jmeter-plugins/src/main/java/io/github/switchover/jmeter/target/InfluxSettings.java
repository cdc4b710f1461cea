package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.PublicText;

/** Where points go; one of bucket and db is set, what the file does not name is null. */
public record InfluxSettings(
        String url, String org, String bucket, String db, String token, String user, String password) {

    /** Without the credentials. */
    @Override
    public String toString() {
        return "InfluxSettings[" + PublicText.url(url) + "]";
    }
}
