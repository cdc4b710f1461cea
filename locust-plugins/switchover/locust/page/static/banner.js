// The banner: the present phase of the run, or its verdict.

import { byId, el, replace } from "./dom.js";
import { count, milliseconds } from "./format.js";

export function showBanner(state) {
    const box = byId("banner");
    const [kind, ...parts] = state.verdict ? judged(state) : going(state);
    box.className = `banner ${kind}`;
    replace(box, ...parts, state.refusal ? el("span", { class: "because bad-text" }, notStarted(state)) : null);
}

/** The reason why the last requested load did not start. */
export const notStarted = (state) => `the load did not start: ${state.refusal}`;

function judged(state) {
    const { exit_code, heading, subject, rows, warnings } = state.verdict;
    const parts = [exit_code === 0 ? "good" : "bad", el("span", { class: "status", id: "verdict" }, heading), say(subject)];
    if (state.report) parts.push(reportLink());
    const shown = rows.filter(([mark, name]) => mark || ["Why", "Cause", "Next"].includes(name));
    const lines = shown.map((row) => el("span", { class: "because" }, row.filter(Boolean).join(" ")));
    return [...parts, ...lines, ...warnings.map((text) => el("span", { class: "because note" }, `Warning ${text}`))];
}

function going(state) {
    const control = state.control;
    const holders = state.holders;
    const split = holders.length > 1;
    const none = state.nodes.some((node) => node.observed) ? "no node is known to hold the address" : "";
    const where = holders.length ? `${holders.join(" and ")} ${split ? "hold" : "holds"} the address` : none;
    if (state.state === "ended") {
        return [
            "",
            el("span", { class: "status" }, "Ended"),
            say(control.died ?? "waiting for the verdict, if this run gets a verdict"),
        ];
    }
    const error = control.died ?? control.error ?? state.run.error;
    if (error) return ["bad", el("span", { class: "status" }, "Error"), say(error), say(where, "note")];
    if (isOver(control)) {
        const doing =
            control.phase === "judging"
                ? "the analysis reads the measurements"
                : "the load has ended; the fault is healed and the last probes are collected";
        return ["", el("span", { class: "status" }, wordOf(state)), say(doing), say(where, "note")];
    }
    const firing = underWay(control);
    const status = wordOf(state);
    if (firing) return ["warn", el("span", { class: "status" }, status), say(firing[1]), say(where, "note")];
    const kind =
        split || state.phase === "switchover"
            ? "bad"
            : state.phase === "baseline"
              ? "good"
              : "warn";
    const parts = [kind, el("span", { class: "status" }, status), say(split ? `SPLIT BRAIN: ${where}` : where)];
    const failed = state.totals.requests.failed;
    if (failed) parts.push(say(`${count(failed)} requests failed so far`, "note"));
    const lost = state.lost_ms;
    if (lost !== null) parts.push(say(`outage so far ≈ ${milliseconds(lost)}, provisional, from lost probes`, "note"));
    return parts;
}

/** The present state of the run in one word: a step of the drill, otherwise the measured phase. */
export function wordOf(state) {
    const control = state.control;
    if (isOver(control)) return "Judging";
    const firing = underWay(control);
    if (firing) return firing[0];
    return (control.available || state.run.fault) && PHASES[state.phase] ? PHASES[state.phase] : "Running";
}

const PHASES = {
    baseline: "Baseline",
    switchover: "Switchover",
    failback: "Failback",
};

const isOver = (control) => ["finishing", "judging"].includes(control.phase);

/** The present step of the drill, as a word and a sentence, or null. */
export function underWay(control) {
    const fault = control.fault ?? "the fault";
    if (control.phase === "heal" || (control.heal_us && !control.healed_us && control.phase !== "failback"))
        return ["Healing", `${fault} is being healed, and the heal is verified`];
    if (control.phase === "fault") return ["Firing", `${fault} is being fired, and its effect is verified`];
    return null;
}

const reportLink = () => el("a", { class: "report", href: "./switchover/report", target: "_blank" }, "Open the report");

const say = (text, kind = "say") => el("span", { class: kind }, text);
