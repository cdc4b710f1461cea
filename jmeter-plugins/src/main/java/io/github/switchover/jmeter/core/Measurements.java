package io.github.switchover.jmeter.core;

/** The names of every measurement that the plugins write or read; docs/metrics.md has their tags and fields. */
public final class Measurements {

    public static final String REQUESTS = "switchover_requests";
    public static final String PROBES = "switchover_probes";
    public static final String USERS = "switchover_users";
    public static final String HAPROXY = "switchover_haproxy";
    public static final String HAPROXY_INFO = "switchover_haproxy_info";
    public static final String NGINX = "switchover_nginx";
    public static final String VRRP = "switchover_vrrp";

    /** Adverts on the wire, as Python's source writes them. */
    public static final String ADVERT = "switchover_advert";

    public static final String PROCESS = "switchover_process";
    public static final String MACHINE = "switchover_machine";
    public static final String SCRAPE = "switchover_scrape";
    public static final String EVENT = "switchover_event";
    public static final String VERDICT = "switchover_verdict";
    public static final String LIMIT = "switchover_limit";

    private Measurements() {}
}
