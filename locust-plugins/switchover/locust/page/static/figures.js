// The figures: provisional figures during the run, then the rows of the verdict.

import { byId, el, replace, table, text } from "./dom.js";
import { alarm, count, known, milliseconds, range, warn } from "./format.js";

export function showFigures(state) {
    const verdict = state.verdict;
    text(byId("figures-title"), verdict ? "Verdict" : "So far");
    byId("provisional").hidden = Boolean(verdict);
    replace(byId("figures"), ...(verdict ? judged(verdict) : soFar(state)));
}

/** The rows of the summary that the console prints. */
function judged(verdict) {
    return verdict.rows.map(([mark, name, value, rest], place) =>
        figure(`${mark} ${name}`.trim(), [value, rest].filter(Boolean).join("  "), place ? "" : "big", mark === "✗"),
    );
}

function soFar(state) {
    const lost = state.lost_ms;
    const unknown = known(state.moments.fired_us) ? "unknown: no probes" : "no fault yet";
    const split = state.split_brain;
    const rows = [{ phase: "so far", samples: sum(state.totals.requests), probes: sum(state.totals.probes) }];
    const predicted = state.run.predict_low_ms;
    return [
        figure("outage, from lost probes", lost === null ? unknown : `≈ ${milliseconds(lost)}`, "big"),
        known(predicted) ? figure("predicted", range(predicted, state.run.predict_high_ms)) : null,
        figure(
            "split brain",
            split
                ? split.total_ms ? milliseconds(split.total_ms) : "none"
                : "unknown: no source on every balancer",
            "",
            split?.total_ms > 0,
        ),
        phaseTable(rows),
    ];
}

const sum = ({ good, failed, late }) => ({ total: good + failed + late, failed, late });

/** Show the columns of requests or probes only if there are any. */
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

const figure = (name, value, kind = "", bad = false) =>
    el(
        "div",
        { class: `figure ${kind}` },
        el("span", { class: "name" }, name),
        el("span", { class: `value ${bad ? "bad-text" : ""}` }, value),
    );
