// The events of a run as vertical lines with labels that do not overlap.

import { svg } from "./dom.js";
import { after } from "./format.js";

export const LANE = 15;
const LETTER = 6.4; // of the bold letters, on average
const WORDS = { fault: "fault", election: "election", good: "good again", heal: "heal", return: "back" };

/** Fault, heal, the next holder of the address, and the first lasting answer, in order of time. */
export function marksOf({ moments, nodes, events }) {
    const { fired_us: fired, heal_us: heal, end_us: end } = moments;
    const healed = heal && !(end && heal >= end) ? heal : null;
    const found = [];
    for (const [kind, at, until, taken, good] of [
        ["fault", fired, healed, "election", "first_success"],
        ["heal", healed, null, "return", "failback"],
    ]) {
        if (!at) continue;
        found.push({ kind, at_us: at, text: kind });
        const holds = nodes.flatMap(({ node, holds }) => holds.map(([begin]) => ({ node, begin })));
        const first = holds
            .filter(({ begin }) => begin > at && (!until || begin < until))
            .sort((a, b) => a.begin - b.begin)[0];
        if (first) found.push({ kind: taken, at_us: first.begin, text: `${first.node} has the address` });
        const event = events.find((one) => one.kind === good);
        if (event) found.push({ kind: "good", at_us: event.at_us, text: event.text });
    }
    return found.sort((a, b) => a.at_us - b.at_us);
}

/** Each mark with its label and its lane. */
export function place(marks, x, width) {
    const [fault, heal] = ["fault", "heal"].map((kind) => marks.find((mark) => mark.kind === kind));
    const ends = [];
    return marks.map((mark) => {
        const since = heal && mark.at_us >= heal.at_us ? heal : fault;
        const delay = since && mark !== since ? ` ${after(mark.at_us - since.at_us)}` : "";
        const statuses = `${WORDS[mark.kind] ?? mark.kind}${delay}`;
        const at = x(mark.at_us / 1e6);
        const length = statuses.length * LETTER + 10;
        const leftwards = at + length > width;
        const begin = leftwards ? at - length : at;
        const free = ends.findIndex((end) => end <= begin);
        const lane = free >= 0 ? free : ends.length;
        ends[lane] = begin + length;
        return { mark, statuses, x: at, lane, leftwards };
    });
}

const kindOf = (mark) => (mark.kind in WORDS ? mark.kind : "good");
const topOf = (lane) => 2 + lane * LANE;

/** The line of a mark down to `bottom`. */
export function line({ mark, x, lane }, bottom) {
    return svg("line", { class: `mark ${kindOf(mark)}`, x1: x, x2: x, y1: topOf(lane), y2: bottom });
}

/** The label of a mark, drawn over all lines. */
export function statuses({ mark, statuses, x, lane, leftwards }) {
    const label = {
        class: kindOf(mark),
        x: leftwards ? x - 4 : x + 4,
        y: topOf(lane) + 10,
        "text-anchor": leftwards ? "end" : "start",
    };
    return svg("text", label, statuses, svg("title", {}, mark.text));
}
