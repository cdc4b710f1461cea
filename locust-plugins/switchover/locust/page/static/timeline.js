// The timeline: requests of each second, failed probes, holders of the address, and events.

import { byId, el, replace, svg } from "./dom.js";
import { clock, count, into } from "./format.js";
import * as marks from "./marks.js";
import { BAND, LEFT, RIGHT, STRIP, areas, axis, band, grid, hatching, probes, splits } from "./shapes.js";

const AXIS = 18;
const GAP = 5;
const NODES = 4; // bands that are drawn
const SHORTEST_S = 30; // the shortest time axis
const ROUND = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

export class TimelineView {
    constructor(box) {
        this.box = box;
        this.tip = el("div", { class: "tip", hidden: "" });
        this.frame = null;
        this.seconds = [];
        this.state = null;
        box.addEventListener("pointermove", (event) => this.hover(event));
        box.addEventListener("pointerleave", () => this.leave());
    }

    /** `span` in seconds, or null for the whole run. */
    draw(state, history, span) {
        const { width, height } = this.box.getBoundingClientRect();
        if (width < 2 * LEFT) return;
        const [from, to] = shown(state, span);
        this.state = state;
        this.seconds = history
            .seconds(state.state === "ended" ? Infinity : Math.floor(state.now_us / 1e6))
            .filter((one) => one.at + one.width > from && one.at < to + 1);
        const nodes = state.nodes.slice(0, NODES);
        const share = (seconds) => Math.min(Math.max((seconds - from) / (to - from), 0), 1);
        const x = (seconds) => LEFT + share(seconds) * (width - LEFT - RIGHT);
        const placed = marks.place(
            marks.marksOf(state).filter((mark) => mark.at_us / 1e6 >= from),
            x,
            width,
        );
        const probed = this.seconds.some((one) => one.probesGood + one.probesFailed + one.probesLate > 0);
        const top = 4 + (1 + Math.max(0, ...placed.map((one) => one.lane))) * marks.LANE;
        const bottom = height - AXIS - nodes.length * BAND - (probed ? STRIP + GAP : 0) - GAP;
        const most = ceiling(Math.max(...this.seconds.map((one) => total(one) / one.width), 1));
        const y = (perSecond) => bottom - (perSecond / most) * (bottom - top);
        const frame = (this.frame = { from, to, x, y, most, top, width, height, right: width - RIGHT });
        const bandsTop = bottom + GAP + (probed ? STRIP + GAP : 0);
        this.show(
            hatching(),
            ...grid(frame),
            ...(this.seconds.some(total) ? areas(frame, this.seconds) : [nothing(frame, bottom)]),
            ...(probed ? probes(frame, this.seconds, bottom + GAP, state.run.probe_rate) : []),
            ...nodes.flatMap((node, index) => band(frame, node, index, bandsTop + index * BAND)),
            ...splits(frame, state.split_brain, bandsTop, nodes.length),
            ...axis(frame, state.moments.start_us / 1e6),
            ...placed.map((one) => marks.line(one, height - AXIS)),
            ...placed.map(marks.statuses),
        );
    }

    show(...parts) {
        const { from, to, top, width, height } = this.frame;
        const startS = this.state.moments.start_us / 1e6;
        const said = `Requests per second from ${into(from - startS)} to ${into(to - startS)} of the run`;
        const cursor = svg("line", { class: "cursor", y1: top, y2: height - AXIS, visibility: "hidden" });
        const drawing = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": said };
        replace(this.box, svg("svg", drawing, ...parts, cursor), this.tip);
    }

    /** Show the counts of a second next to the pointer. */
    hover(event) {
        if (!this.frame) return;
        const { from, to, x, width } = this.frame;
        const left = event.clientX - this.box.getBoundingClientRect().left;
        const at = from + ((left - LEFT) / (width - LEFT - RIGHT)) * (to - from);
        const found = this.seconds.find((one) => one.at <= at && at < one.at + one.width);
        if (!found) {
            this.leave();
            return;
        }
        this.tip.replaceChildren(...this.lines(found).map((statuses) => el("div", {}, statuses)));
        this.tip.hidden = false;
        this.tip.style.left = left > width / 2 ? "" : `${left + 14}px`;
        this.tip.style.right = left > width / 2 ? `${width - left + 14}px` : "";
        const cursor = this.box.querySelector(".cursor");
        for (const end of ["x1", "x2"]) cursor?.setAttribute(end, x(found.at + found.width / 2));
        cursor?.setAttribute("visibility", "visible");
    }

    leave() {
        this.tip.hidden = true;
        this.box.querySelector(".cursor")?.setAttribute("visibility", "hidden");
    }

    lines(found) {
        const { moments, nodes } = this.state;
        const counted = (what, good, failed, late) =>
            `${what}: ${count(good)} good, ${count(failed)} failed, ${count(late)} late`;
        const holding = nodes.filter((node) =>
            node.holds.some(([begin, end]) => begin / 1e6 < found.at + found.width && end / 1e6 > found.at),
        );
        const long = found.width > 1 ? ` · ${found.width} s` : "";
        return [
            `${into(found.at - moments.start_us / 1e6)} · ${clock(found.at * 1e6, false)}${long}`,
            counted("requests", found.good, found.failed, found.late),
            counted("probes", found.probesGood, found.probesFailed, found.probesLate),
            ...holding.map((node) => `${node.node} holds the address`),
        ];
    }
}

export function legend(box) {
    const entry = (colour, statuses) => {
        const spot = el("i");
        spot.style.background = `var(--${colour})`;
        return el("span", {}, spot, statuses);
    };
    replace(byId(box), entry("good", "good"), entry("late", "late"), entry("failed", "failed"));
}

const total = (one) => one.good + one.failed + one.late;

/** The first and the last visible second. */
function shown({ state, moments, now_us: nowUs }, span) {
    const start = Math.floor(moments.start_us / 1e6);
    const end = state === "ended" && moments.end_us ? moments.end_us / 1e6 + 1 : nowUs / 1e6;
    const to = Math.max(end, start + SHORTEST_S);
    return [span === null ? start : Math.max(start, to - span), to];
}

/** The next round number above. */
function ceiling(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return ROUND.map((step) => step * power).find((round) => round >= value * 1.02) ?? 10 * power;
}

function nothing(frame, bottom) {
    const middle = { x: frame.width / 2, y: (frame.top + bottom) / 2, "text-anchor": "middle" };
    return svg("text", middle, "no request has ended yet");
}
