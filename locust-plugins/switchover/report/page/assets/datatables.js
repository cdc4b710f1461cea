// The data of a chart as a table, which is made when a reader opens it.

const fixed = (value, digits) => (value === null || value === undefined ? "" : value.toLocaleString("en-US", { maximumFractionDigits: digits }));
const ofPeriods = (columns, digits) =>
    data.starts.map((start, place) => [start.toFixed(2), ...Object.values(columns).map((values) => fixed(values[place], digits))]);

const dataOf = {
    traffic: () => {
        const one = chosen();
        const columns = { ...named("backend ", one.backends), ...named("balancer ", one.balancers), late: one.late };
        return table(["second", ...Object.keys(columns), ...Object.keys(named("failed: ", one.failed))],
            ofPeriods({ ...columns, ...named("failed: ", one.failed) }, 0));
    },
    latency: () => {
        const one = chosen();
        const columns = { ...named("send ", one.from_send || {}), ...named("schedule ", one.from_schedule || {}) };
        return table(["second", ...Object.keys(columns).map((name) => `${name} ms`)], ofPeriods(columns, 2));
    },
    failures: () => table(["second", ...Object.keys(chosen().failed)], ofPeriods(chosen().failed, 0)),
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

/** Offer the table of a chart that has data. */
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
