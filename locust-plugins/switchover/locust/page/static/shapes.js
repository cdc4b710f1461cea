// The SVG shapes of the timeline. Lengths are in pixels, times in seconds.

import { svg } from "./dom.js";
import { into, rate } from "./format.js";

export const LEFT = 58;
export const RIGHT = 14;
export const STRIP = 14;
export const BAND = 16;
const BAR = 14;
const AXIS_STEPS_S = [5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400];
const LABEL = 48; // pixels that a time on the axis needs

const px = (value) => value.toFixed(1);
const titled = (node, statuses) => {
    node.append(svg("title", {}, statuses));
    return node;
};
const leftLabel = (y, statuses) => svg("text", { x: LEFT - 6, y, "text-anchor": "end" }, statuses);
const track = (frame, y) => svg("rect", { class: "track", x: LEFT, y, width: frame.right - LEFT, height: BAR });

/** The hatching of split brain. */
export function hatching() {
    const ground = svg("rect", { width: 8, height: 8, fill: "#d32f2f" });
    const lines = svg("path", { d: "M0 8L8 0M-2 2L2 -2M6 10L10 6", stroke: "#fff", "stroke-width": 2 });
    const box = { id: "hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse" };
    return svg("defs", {}, svg("pattern", box, ground, lines));
}

/** Lines at zero, half of the highest rate, and the highest rate. */
export function grid(frame) {
    return [0, 0.5, 1].flatMap((part) => {
        const y = Math.round(frame.y(frame.most * part)) + 0.5;
        const line = svg("line", { class: "grid", x1: LEFT, x2: frame.right, y1: y, y2: y });
        return [line, leftLabel(y + 4, rate(frame.most * part))];
    });
}

/** The time axis, in minutes and seconds since the start of the run. */
export function axis(frame, startS) {
    const most = (frame.right - LEFT) / LABEL;
    const step = AXIS_STEPS_S.find((one) => (frame.to - frame.from) / one <= most) ?? AXIS_STEPS_S.at(-1);
    const parts = [];
    for (let at = Math.ceil((frame.from - startS) / step) * step; startS + at <= frame.to; at += step) {
        const place = { x: frame.x(startS + at), y: frame.height - 4, "text-anchor": "middle" };
        if (parts.length < most) parts.push(svg("text", place, into(at)));
    }
    return parts;
}

/** The stacked requests of each second: late and failed stand on what was good. */
export function areas(frame, seconds) {
    const layer = (kind, below, counted) => {
        let path = "";
        for (const one of seconds.filter(counted)) {
            const low = frame.y(below(one) / one.width);
            const high = Math.min(frame.y((below(one) + counted(one)) / one.width), low - 1);
            const right = frame.x(one.at + one.width);
            path += `M${px(frame.x(one.at))} ${px(low)}V${px(high)}H${px(right)}V${px(low)}Z`;
        }
        return svg("path", { class: kind, d: path });
    };
    return [
        layer(
            "good",
            () => 0,
            (one) => one.good,
        ),
        layer(
            "late",
            (one) => one.good,
            (one) => one.late,
        ),
        layer(
            "failed",
            (one) => one.good + one.late,
            (one) => one.failed,
        ),
    ];
}

/** The share of failed and late probes in each second. */
export function probes(frame, seconds, top, probeRate) {
    const layer = (kind, counted) => {
        let path = "";
        for (const one of seconds.filter(counted)) {
            const share = counted(one) / (one.probesGood + one.probesFailed + one.probesLate);
            const high = px(top + STRIP - Math.max(2, share * STRIP));
            const right = px(frame.x(one.at + one.width));
            path += `M${px(frame.x(one.at))} ${top + STRIP}V${high}H${right}V${top + STRIP}Z`;
        }
        return svg("path", { class: kind, d: path });
    };
    return [
        titled(leftLabel(top + STRIP - 3, "probes"), `${probeRate ?? "?"} probes per second; red: failed`),
        track(frame, top),
        layer("late", (one) => one.probesLate + one.probesFailed),
        layer("probe", (one) => one.probesFailed),
    ];
}

/** The periods in which a node held the virtual address. */
export function band(frame, node, index, top) {
    const shown = node.node.length > 8 ? `${node.node.slice(0, 7)}…` : node.node;
    const statuses = node.observed ? "periods with the address" : "no source reports the owner of the address";
    const held = within(frame, node.holds).map(([begin, end]) => {
        const width = Math.max(1, frame.x(end) - frame.x(begin));
        return svg("rect", { class: `node${index}`, x: frame.x(begin), y: top, width, height: BAR });
    });
    return [titled(leftLabel(top + BAR - 3, shown), `${node.node}: ${statuses}`), track(frame, top), ...held];
}

/** Periods in which two nodes held the address, drawn over all bands. */
export function splits(frame, splitBrain, top, bands) {
    return within(frame, splitBrain?.periods ?? []).map(([begin, end]) => {
        const width = Math.max(2, frame.x(end) - frame.x(begin));
        const place = { x: frame.x(begin), y: top, width, height: Math.max(1, bands * BAND - 2) };
        const part = svg("rect", { class: "split", fill: "url(#hatch)", ...place });
        return titled(part, "split brain: two nodes hold the address");
    });
}

/** The visible parts of periods in microseconds, in seconds. */
const within = (frame, periods) =>
    periods
        .map(([begin, end]) => [Math.max(begin / 1e6, frame.from), Math.min(end / 1e6, frame.to)])
        .filter(([begin, end]) => end > begin);
