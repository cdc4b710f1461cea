// The seconds of the timeline. The server sends only the seconds that changed since the last answer.

/** One second: `at`, and counts by outcome. */
const second = ([at, good, failed, late, probesGood, probesFailed, probesLate]) => ({
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

    /** Add an answer. Returns false if earlier seconds of the run are missing here. */
    take(state) {
        if (state.key !== this.run) {
            this.run = state.key;
            this.revision = 0;
            this.byTime.clear();
            if (state.since > 0) return false;
        }
        for (const row of state.timeline ?? []) {
            const found = second(row);
            this.byTime.set(found.at, found);
        }
        this.revision = state.revision ?? 0;
        return true;
    }

    /** The seconds in order of time, up to the last complete second. */
    seconds(beforeS) {
        return [...this.byTime.values()].filter((one) => one.at + one.width <= beforeS).sort((a, b) => a.at - b.at);
    }
}
