"""haproxy.cfg as HAProxy reads it: words, conditions, sections, and what proxies inherit from their defaults."""
