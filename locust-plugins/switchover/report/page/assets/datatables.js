// What a chart draws, as a table that is made when somebody opens it.

const fixed = (value, digits) => (value === null || value === undefined ? "" : value.toLocaleString("en-US", { maximumFractionDigits: digits }));
const ofStretches = (columns, digits) =>
    data.starts.map((start, place) => [start.toFixed(2), ...Object.values(columns).map((values) => fixed(values[place], digits))]);

const dataOf = {
    changes: () => {
        const { kinds, numbers, at, felt } = data.changes;
        const rows = kinds.flatMap((kind) => felt[kind].map(([lost, closed, waited], place) =>
            [numbers[place], at[place].toFixed(2), kind, lost, closed, fixed(waited, 0)]));
        return table(["change", "second", "kind", "lost", "closed gracefully", "longer wait ms"], rows.filter((row) => row[3] || row[4] || row[5]));
    },
    traffic: () => {
        const one = chosen();
        const columns = { ...named("backend ", one.backends), ...named("balancer ", one.balancers), late: one.late, ...(one.users && { users: one.users }) };
        return table(["second", ...Object.keys(columns), ...Object.keys(named("failed: ", one.failed))],
            ofStretches({ ...columns, ...named("failed: ", one.failed) }, 0));
    },
    latency: () => {
        const one = chosen();
        const columns = { ...named("send ", one.from_send || {}), ...named("schedule ", one.from_schedule || {}) };
        return table(["second", ...Object.keys(columns).map((name) => `${name} ms`)], ofStretches(columns, 2));
    },
    failures: () => table(["second", ...Object.keys(chosen().failed)], ofStretches(chosen().failed, 0)),
    lag: () => {
        const found = data.populations.find((one) => one.name === "probes").lag;
        return table(["second", ...Object.keys(found).map((name) => `${name} ms`)], ofStretches(found, 3));
    },
    machine: () =>
        table(["second", "stolen ms", "waited ms", "softirq ms", "running"],
            data.machine.map((one) => [one.from.toFixed(2), fixed(one.stolen_ms, 0), fixed(one.waited_ms, 1), fixed(one.softirq_ms, 0), one.running])),
    counters: () => {
        const rows = data.counters.flatMap((one) => one.requests.x.map((at, place) =>
            [at.toFixed(2), one.node, ...["requests", "sessions", "queued", "errors"].map((key) => fixed(one[key].y[place], 1))]));
        return table(["second", "balancer", "requests/s", "sessions", "in the queue", "errors, retries/s"], rows);
    },
};

const named = (prefix, columns) => Object.fromEntries(Object.entries(columns).map(([name, values]) => [prefix + (name || "unnamed"), values]));

function table(columns, rows) {
    const made = document.createElement("table");
    const head = made.createTHead().insertRow();
    for (const column of columns) {
        const cell = document.createElement("th");
        cell.scope = "col";
        cell.textContent = column;
        head.append(cell);
    }
    const body = made.createTBody();
    for (const values of rows) {
        const row = body.insertRow();
        for (const value of values) {
            const cell = row.insertCell();
            cell.className = "number";
            cell.textContent = value;
        }
    }
    return made;
}

/** Offered for charts that drew something over time. */
function offerData(box) {
    const details = box.nextElementSibling;
    const make = dataOf[box.dataset.chart];
    details.hidden = !make || !box.classList.contains("js-plotly-plot");
    details.open = false;
    details.inert = false;
    details.ontoggle = () => {
        if (details.open) details.querySelector(".scroll").replaceChildren(make());
    };
}
