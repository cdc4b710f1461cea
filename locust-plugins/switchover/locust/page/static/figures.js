// The figures: provisional ones while the run is on, then the verdict's, and where the time went.

import { byId, el, replace, table, text } from "./dom.js";
import { after, alarm, count, known, milliseconds, range, warn } from "./format.js";

export function showFigures(state) {
    const verdict = state.verdict;
    text(byId("figures-title"), verdict ? "Verdict" : "So far");
    byId("provisional").hidden = Boolean(verdict);
    replace(byId("figures"), ...(verdict ? judged(verdict) : soFar(state)));
}

/** The rows of the summary that the console prints, and the counts of each phase. */
function judged(verdict) {
    const lines = verdict.rows.map(([mark, name, value, rest], place) =>
        figure(`${mark} ${name}`.trim(), [value, rest].filter(Boolean).join("  "), place ? "" : "big", mark === "✗"),
    );
    const phases = Object.keys({ ...verdict.samples, ...verdict.probes });
    const rows = phases.map((phase) => ({ phase, samples: verdict.samples[phase], probes: verdict.probes[phase] }));
    return [...lines, phaseTable(rows)];
}

function soFar(state) {
    const lost = state.lost_ms;
    const unknown = known(state.moments.fired_us) ? "unknown: no probes" : "no fault yet";
    const split = state.split_brain;
    const rows = [{ phase: "so far", samples: sum(state.totals.requests), probes: sum(state.totals.probes) }];
    const predicted = state.run.predict_low_ms;
    return [
        figure("outage, by lost probes", lost === null ? unknown : `≈ ${milliseconds(lost)}`, "big"),
        known(predicted) ? figure("predicted", range(predicted, state.run.predict_high_ms)) : null,
        figure(
            "split brain",
            split
                ? `${split.at_least ? "at least " : ""}${split.total_ms ? milliseconds(split.total_ms) : "none"}`
                : "unknown: no source on every balancer",
            "",
            split?.total_ms > 0,
        ),
        phaseTable(rows),
    ];
}

const sum = ({ good, failed, late }) => ({ total: good + failed + late, failed, late });

/** The columns of requests only where there are any, and so with probes. */
function phaseTable(rows) {
    const has = (of) => rows.some((row) => row[of]?.total);
    const column = (title, of, name, numbered = (value) => count(value)) => ({
        title,
        number: true,
        cell: (row) => (known(row[of]) ? numbered(row[of][name]) : ""),
    });
    return table(
        [
            { title: "phase", cell: (row) => row.phase },
            ...["samples", "probes"]
                .filter(has)
                .flatMap((of) => [
                    column(of === "samples" ? "requests" : of, of, "total"),
                    column("failed", of, "failed", alarm),
                    column("late", of, "late", warn),
                ]),
        ],
        rows,
    );
}

/** After the run it takes the place of the fault button. */
export function showTimeline({ verdict }) {
    const steps = verdict?.timeline ?? [];
    byId("steps-card").hidden = !steps.length;
    byId("control").hidden = Boolean(steps.length);
    const number = (statuses) => el("span", { class: "number" }, statuses);
    replace(
        byId("steps"),
        ...steps.map((step) =>
            el(
                "div",
                { class: "step" },
                el("span", {}, step.step),
                number(known(step.after_kill_ms) ? after(step.after_kill_ms * 1000, 3) : "unknown"),
                number(known(step.bound_ms) ? `±${step.bound_ms.toFixed(1)} ms` : ""),
                el("span", { class: "note" }, step.source + (step.order_unknown ? "; order unknown" : "")),
            ),
        ),
    );
}

const figure = (name, value, kind = "", bad = false) =>
    el(
        "div",
        { class: `figure ${kind}` },
        el("span", { class: "name" }, name),
        el("span", { class: `value ${bad ? "bad-text" : ""}` }, value),
    );
