package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Labelled;
import io.github.switchover.jmeter.core.ResourceText;
import io.github.switchover.jmeter.verdict.Verdict.Status;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;

/** The reasons for a status that the jar can detect; {@code tables/reasons.toml} has their texts. */
public enum ReasonCode implements Labelled {
    NOT_HEALED,
    STOPPED,
    NO_END,
    NOT_FIRED,
    FAULT_ERROR,
    NOT_CONFIRMED,
    NO_PROBE,
    FAILED_BEFORE,
    NO_PROBE_BEFORE,
    LATE_BEFORE,
    LOAD_FAILED_BEFORE,
    OTHER_MASTER,
    NO_ACCOUNT,
    PROBES_LOST,
    LOAD_NOT_ENDED,
    WORKER_LOST,
    SAMPLES_LOST,
    NO_SAMPLE,
    SAMPLES_DIFFER,
    PART_MISSING,
    FILE_DAMAGED,
    UNSEEN,
    WIDE_BOUND,
    LIMIT_UNMEASURED,
    NOT_WRITTEN,
    NOT_RECOVERED,
    LIMIT_EXCEEDED,
    LIMIT_INCONCLUSIVE,
    NEEDS_REPORT;

    private static final TomlParseResult TABLE = Toml.parse(ResourceText.table("reasons.toml"));

    public Status status() {
        return Status.valueOf(field("status").replace(' ', '_'));
    }

    /** Returns the text with placeholders, such as {@code {lost:,}} with separators, and {@code {after_s:.1f}}. */
    String template() {
        return field("text");
    }

    String cause() {
        return field("cause");
    }

    String remedy() {
        return field("remedy");
    }

    private String field(String field) {
        return TABLE.getString(label() + "." + field);
    }
}
