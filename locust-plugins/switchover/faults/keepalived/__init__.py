"""keepalived.conf as Keepalived reads it: syntax, words, trackers, instance, conf; its mistakes; a proposal."""
