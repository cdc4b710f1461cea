// Bars with the share of answers of each server.

import { byId, el, replace, text } from "./dom.js";
import { count, percent } from "./format.js";

const ROWS = 12;

export function showShares({ shares, nodes }) {
    const parts = [
        ["title name", "backend"],
        ["title", "share"],
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
    replace(byId("shares"), el("div", { class: "share" }, ...parts));
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

function shareRow(row, kind) {
    const whole = el("i", { class: kind });
    whole.style.width = `${(row.share ?? 0) * 100}%`;
    return [
        el("span", { class: "name", title: row.name }, row.name),
        el("span", { class: "meter" }, whole),
        el("span", { class: "number" }, percent(row.share)),
        el("span", { class: "number" }, count(row.count)),
    ];
}

const more = (rows) =>
    rows.length > ROWS
        ? [el("span", { class: "note" }, `and ${rows.length - ROWS} more`), ...[1, 2, 3].map(() => el("span"))]
        : [];
