// The timeline: what ended in each second, probes that failed, who held the address, and the moments in between.

import { byId, el, replace, svg } from "./dom.js";
import { after, clock, count, into, rate } from "./format.js";

const LEFT = 58, RIGHT = 14, LANE = 15, STRIP = 14, BAND = 14, AXIS = 18, GAP = 5;
const NODES = 4; // bands that are drawn
const SHORTEST_S = 30; // a run that has just begun fills the width bit by bit
const WORDS = { fault: "fault", election: "election", good: "good again", heal: "heal", return: "back" };

export class TimelineView {
  constructor(box) {
    this.box = box;
    this.tip = el("div", { class: "tip", hidden: "" });
    this.cursor = null;
    this.drawn = null;
    box.addEventListener("pointermove", (event) => this.hover(event));
    box.addEventListener("pointerleave", () => { this.tip.hidden = true; this.cursor?.setAttribute("visibility", "hidden"); });
  }

  /** `span` in seconds, or null for the whole run. */
  draw(state, history, span) {
    const { width, height } = this.box.getBoundingClientRect();
    if (width < 100) return;
    const nowS = state.now_us / 1e6;
    const ended = state.state === "ended";
    const wholeFrom = Math.floor(state.moments.start_us / 1e6);
    const lastS = Math.max(ended && state.moments.end_us ? state.moments.end_us / 1e6 + 1 : nowS, wholeFrom + SHORTEST_S);
    const from = span === null ? wholeFrom : Math.max(wholeFrom, lastS - span);
    const stretches = history.stretches(ended ? Infinity : Math.floor(nowS)).filter((one) => one.at + one.width > from && one.at < lastS + 1);
    const x = (seconds) => LEFT + ((seconds - from) / (lastS - from)) * (width - LEFT - RIGHT);
    const marks = this.place(state.marks.filter((mark) => mark.at_us / 1e6 >= from), x, width);
    const nodes = state.nodes.slice(0, NODES);
    const top = 4 + Math.max(1, marks.lanes) * LANE;
    const hasProbes = stretches.some((one) => one.probesOk + one.probesFailed + one.probesLate > 0);
    const bottom = height - AXIS - nodes.length * (BAND + 2) - (hasProbes ? STRIP + GAP : 0) - GAP;
    const most = ceiling(Math.max(...stretches.map((one) => (one.ok + one.failed + one.late) / one.width), 1));
    const y = (value) => bottom - (value / most) * (bottom - top);
    this.drawn = { stretches, from, lastS, x, state, top, bottom: height - AXIS, width };
    const parts = [this.definitions(), ...this.grid(most, y, width)];
    if (stretches.some((one) => one.ok + one.failed + one.late > 0)) parts.push(...areas(stretches, x, y));
    else parts.push(svg("text", { x: width / 2, y: (top + bottom) / 2, "text-anchor": "middle", class: "empty" }, "no request has ended yet"));
    let below = bottom + GAP;
    if (hasProbes) {
      parts.push(...strip(stretches, x, below, state.run.probe_rate, width));
      below += STRIP + GAP;
    }
    nodes.forEach((node, index) => parts.push(...band(node, index, below + index * (BAND + 2), x, from, lastS, width)));
    parts.push(...splits(state.split_brain, x, below, nodes.length * (BAND + 2) - 2, from, lastS));
    parts.push(...this.axis(from, lastS, x, height, state.moments.start_us / 1e6));
    parts.push(...marks.parts.map((mark) => this.mark(mark, height - AXIS)).flat());
    this.cursor = svg("line", { class: "cursor", y1: top, y2: height - AXIS, visibility: "hidden" });
    const said = `Requests per second from ${into(from - wholeFrom)} to ${into(lastS - wholeFrom)} of the run`;
    replace(this.box, svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": said }, ...parts, this.cursor), this.tip);
    this.cursor = this.box.querySelector(".cursor");
  }

  definitions() {
    const lines = svg("path", { d: "M0 8L8 0M-2 2L2 -2M6 10L10 6", stroke: "#fff", "stroke-width": 2 });
    const ground = svg("rect", { width: 8, height: 8, fill: "#d32f2f" });
    return svg("defs", {}, svg("pattern", { id: "hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse" }, ground, lines));
  }

  grid(most, y, width) {
    return [0, 0.5, 1].flatMap((part) => {
      const at = Math.round(y(most * part)) + 0.5;
      return [
        svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: at, y2: at }),
        svg("text", { x: LEFT - 6, y: at + 4, "text-anchor": "end" }, rate(most * part)),
      ];
    });
  }

  axis(from, lastS, x, height, startS) {
    const step = [5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600].find((s) => (lastS - from) / s <= 12) ?? 86400;
    const parts = [];
    for (let at = Math.ceil((from - startS) / step) * step; startS + at <= lastS && parts.length < 60; at += step) {
      parts.push(svg("text", { x: x(startS + at), y: height - 4, "text-anchor": "middle" }, into(at)));
    }
    return parts;
  }

  /** A lane for each mark's words, so that none lies upon another. */
  place(marks, x, width) {
    const fault = marks.find((mark) => mark.kind === "fault");
    const heal = marks.find((mark) => mark.kind === "heal");
    const ends = [];
    const parts = marks.map((mark) => {
      const since = mark.at_us >= (heal?.at_us ?? Infinity) ? heal : fault;
      const delay = since && mark !== since ? ` ${after(mark.at_us - since.at_us)}` : "";
      const words = `${WORDS[mark.kind] ?? mark.kind}${mark.provisional ? " ≈" : ""}${delay}`;
      const at = x(mark.at_us / 1e6);
      const length = words.length * 6.4 + 10;
      const leftwards = at + length > width;
      const begin = leftwards ? at - length : at;
      let lane = ends.findIndex((end) => end <= begin);
      if (lane < 0) lane = ends.length < 4 ? ends.length : 3;
      ends[lane] = begin + length;
      return { mark, words, at, lane, leftwards };
    });
    return { parts, lanes: ends.length };
  }

  mark({ mark, words, at, lane, leftwards }, bottom) {
    const top = 2 + lane * LANE;
    const kind = mark.kind in WORDS ? mark.kind : "good";
    const line = svg("line", { class: `mark ${kind}${mark.provisional ? " provisional" : ""}`, x1: at, x2: at, y1: top, y2: bottom });
    const label = svg("text", { class: kind, x: leftwards ? at - 4 : at + 4, y: top + 10, "text-anchor": leftwards ? "end" : "start" }, words);
    label.append(svg("title", {}, mark.text));
    return [line, label];
  }

  hover(event) {
    if (!this.drawn) return;
    const { stretches, from, lastS, x, state, width } = this.drawn;
    const box = this.box.getBoundingClientRect();
    const at = from + ((event.clientX - box.left - LEFT) / (width - LEFT - RIGHT)) * (lastS - from);
    const found = stretches.find((one) => one.at <= at && at < one.at + one.width);
    this.tip.hidden = !found;
    if (!found) return;
    const line = (words) => el("div", {}, words);
    const probes = found.probesOk + found.probesFailed + found.probesLate;
    this.tip.replaceChildren(
      line(`${into(found.at - state.moments.start_us / 1e6)} · ${clock(found.at * 1e6, false)}${found.width > 1 ? ` · ${found.width} s` : ""}`),
      line(`requests: ${count(found.ok)} ok, ${count(found.failed)} failed, ${count(found.late)} late`),
      ...(probes ? [line(`probes: ${count(found.probesOk)} ok, ${count(found.probesFailed)} failed, ${count(found.probesLate)} late`)] : []),
      ...state.nodes.filter((node) => node.holds.some(([a, b]) => a / 1e6 < found.at + found.width && b / 1e6 > found.at)).map((node) => line(`${node.node} holds the address`)),
    );
    const left = event.clientX - box.left;
    this.tip.style.left = left > width / 2 ? "" : `${left + 14}px`;
    this.tip.style.right = left > width / 2 ? `${width - left + 14}px` : "";
    this.tip.style.top = "40px";
    const middle = x(found.at + found.width / 2);
    this.cursor?.setAttribute("x1", middle);
    this.cursor?.setAttribute("x2", middle);
    this.cursor?.setAttribute("visibility", "visible");
  }
}

/** The stacked areas: late and failed stand on what was good. */
function areas(stretches, x, y) {
  const layers = [["ok", (one) => 0, (one) => one.ok], ["late", (one) => one.ok, (one) => one.late], ["failed", (one) => one.ok + one.late, (one) => one.failed]];
  return layers.map(([kind, base, value]) => {
    let path = "";
    for (const one of stretches) {
      if (!value(one)) continue;
      const left = x(one.at), right = x(one.at + one.width), low = y(base(one) / one.width), high = y((base(one) + value(one)) / one.width);
      path += `M${left.toFixed(1)} ${low.toFixed(1)}V${Math.min(high, low - 1).toFixed(1)}H${(right + 0.2).toFixed(1)}V${low.toFixed(1)}Z`;
    }
    return svg("path", { class: kind, d: path });
  });
}

/** Probes that failed or came late, as a share of those of their second. */
function strip(stretches, x, top, probeRate, width) {
  const path = (value) => {
    let d = "";
    for (const one of stretches) {
      const all = one.probesOk + one.probesFailed + one.probesLate;
      if (!all || !value(one)) continue;
      const height = Math.max(2, (value(one) / all) * STRIP);
      d += `M${x(one.at).toFixed(1)} ${top + STRIP}v${(-height).toFixed(1)}H${(x(one.at + one.width) + 0.2).toFixed(1)}v${height.toFixed(1)}Z`;
    }
    return d;
  };
  const label = svg("text", { x: LEFT - 6, y: top + STRIP - 3, "text-anchor": "end" }, "probes");
  label.append(svg("title", {}, `${probeRate ?? "?"} probes a second; red: failed`));
  return [
    label,
    svg("rect", { class: "track", x: LEFT, y: top, width: Math.max(0, width - LEFT - RIGHT), height: STRIP }),
    svg("path", { class: "late", d: path((one) => one.probesLate + one.probesFailed) }),
    svg("path", { class: "probe", d: path((one) => one.probesFailed) }),
  ];
}

/** When a node held the virtual address. */
function band(node, index, top, x, from, lastS, width) {
  const shown = node.node.length > 8 ? `${node.node.slice(0, 7)}…` : node.node;
  const label = svg("text", { x: LEFT - 6, y: top + BAND - 3, "text-anchor": "end" }, shown);
  label.append(svg("title", {}, node.witnessed ? `${node.node}: when it held the address` : `${node.node}: no witness tells whether it holds the address`));
  const stretches = node.holds
    .map(([begin, end]) => [Math.max(begin / 1e6, from), Math.min(end / 1e6, lastS)])
    .filter(([begin, end]) => end > begin)
    .map(([begin, end]) => svg("rect", { class: `node${index}`, x: x(begin), y: top, width: Math.max(1, x(end) - x(begin)), height: BAND }));
  return [label, svg("rect", { class: "track", x: LEFT, y: top, width: Math.max(0, width - LEFT - RIGHT), height: BAND }), ...stretches];
}

/** Stretches in which two nodes held the address at once, over all bands. */
function splits(found, x, top, height, from, lastS) {
  return (found?.stretches ?? [])
    .map(([begin, end]) => [Math.max(begin / 1e6, from), Math.min(end / 1e6, lastS)])
    .filter(([begin, end]) => end > begin)
    .map(([begin, end]) => {
      const part = svg("rect", { class: "split", fill: "url(#hatch)", x: x(begin), y: top, width: Math.max(2, x(end) - x(begin)), height: Math.max(1, height) });
      part.append(svg("title", {}, "split brain: two nodes hold the address"));
      return part;
    });
}

/** The next round number above. */
function ceiling(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((round) => round >= value * 1.02) ?? 10 * power;
}

export function legend(box) {
  const entry = (colour, words) => {
    const spot = el("i");
    spot.style.background = `var(--${colour})`;
    return el("span", {}, spot, words);
  };
  replace(byId(box), entry("ok", "ok"), entry("late", "late"), entry("failed", "failed"));
}
