// What the timeline shows, kept here: the server sends only what has changed since the last answer.

/** One second: `at`, and counts by outcome. */
const stretch = ([at, good, failed, late, probesGood, probesFailed, probesLate]) => ({
    at,
    width: 1,
    good,
    failed,
    late,
    probesGood,
    probesFailed,
    probesLate,
});

export class History {
    constructor() {
        this.run = null;
        this.revision = 0;
        this.byTime = new Map();
    }

    /** Take an answer in; false if it continues something that is not known here. */
    take(state) {
        if (state.key !== this.run) {
            this.run = state.key;
            this.revision = 0;
            this.byTime.clear();
            if (state.since > 0) return false;
        }
        for (const row of state.timeline ?? []) {
            const found = stretch(row);
            this.byTime.set(found.at, found);
        }
        this.revision = state.revision ?? 0;
        return true;
    }

    /** In order of time, up to a second that is whole. */
    stretches(beforeS) {
        return [...this.byTime.values()].filter((one) => one.at + one.width <= beforeS).sort((a, b) => a.at - b.at);
    }
}
