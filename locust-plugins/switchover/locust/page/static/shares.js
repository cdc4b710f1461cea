// Who answers how much: bars while the run is on, and by phase when it has been judged.

import { byId, el, replace, table, text } from "./dom.js";
import { count, known, percent } from "./format.js";

const ROWS = 12;
const PHASE_COLUMNS = 6;

export function showShares({ shares, nodes, verdict }) {
    const parts = [
        ["title name", "backend"],
        ["title", "share ▏weight"],
        ["title number", "all"],
        ["title number", "answers"],
    ].map(([kind, statuses]) => el("span", { class: kind }, statuses));
    for (const row of shares.backends.slice(0, ROWS)) parts.push(...shareRow(row, null));
    parts.push(
        ...more(shares.backends),
        el("span", { class: "gap" }),
        el("span", { class: "title name" }, "balancer"),
        ...[1, 2, 3].map(() => el("span")),
    );
    for (const row of shares.balancers.slice(0, ROWS))
        parts.push(...shareRow(row, `node${nodes.findIndex((node) => node.node === row.name)}`));
    parts.push(...more(shares.balancers));
    replace(byId("shares"), el("div", { class: "share" }, ...parts), verdict ? phaseShares(verdict.shares) : null);
    const by = shares.answered_by;
    const said = [
        ["balancer", "by the balancer itself"],
        ["none", "without an answer"],
        ["unknown", "by an unknown host"],
    ];
    text(
        byId("answered"),
        said
            .filter(([key]) => by[key])
            .map(([key, statuses]) => `${count(by[key])} ${statuses}`)
            .join(", "),
    );
}

/** Who answered in each phase, probes and requests together, as the verdict counts it. */
function phaseShares(byPhase) {
    const rows = Object.entries(byPhase).map(([phase, kinds]) => ({ phase, ...kinds }));
    const columns = ["balancers", "backends"].flatMap((kind) =>
        [...new Set(rows.flatMap((row) => Object.keys(row[kind])))].map((name) => ({
            title: name,
            number: true,
            hint: name,
            class: "name",
            cell: (row) => phaseShare(row[kind], name),
        })),
    );
    if (!columns.length || columns.length > PHASE_COLUMNS) return null;
    return table([{ title: "by phase", cell: (row) => row.phase }, ...columns], rows);
}

/** Nothing where no answer came in that phase. */
const phaseShare = (shares, name) => (Object.keys(shares).length ? percent(shares[name] ?? 0, 0) : "");

function shareRow(row, kind) {
    const whole = el("i", { class: kind });
    whole.style.width = `${(row.share ?? 0) * 100}%`;
    const parts = [whole];
    if (known(row.expected)) {
        const tick = el("b");
        tick.style.left = `calc(${row.expected * 100}% - 1px)`;
        parts.push(tick);
    }
    const expected = known(row.expected) ? `by weight ${percent(row.expected)}` : "";
    return [
        el("span", { class: "name", title: row.name }, row.name),
        el("span", { class: "meter", title: expected || null }, ...parts),
        el("span", { class: "number" }, percent(row.share)),
        el("span", { class: "number" }, count(row.count)),
    ];
}

const more = (rows) =>
    rows.length > ROWS
        ? [el("span", { class: "note" }, `and ${rows.length - ROWS} more`), ...[1, 2, 3].map(() => el("span"))]
        : [];
