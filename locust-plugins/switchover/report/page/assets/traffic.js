// Requests, latencies, failures, the generator's lag and the balancers' counters over time.

const KINDS = ["refused", "reset", "connect_timeout", "read_timeout", "status"];
const kindColour = (kind) => (KINDS.includes(kind) ? `kind-${KINDS.indexOf(kind)}` : "grey");
const called = (name, otherwise) => (name ? plain(name) : otherwise);

const lineOf = (name, x, y, line, hovertemplate, more = {}) => ({ type: "scatter", mode: "lines", name, x, y, line, hovertemplate, ...more });

/** What is read second by second: all traces of a moment stand beside the pointer. */
const bySecond = (height, yaxis, more = {}) => layout(height, { xaxis: {}, yaxis: { fixedrange: true, ...yaxis }, hovermode: "x unified", ...more });

function area(name, y, fill, group, row, more = {}) {
    return lineOf(name, steps, y, { shape: "hv", width: 0, color: fill }, "%{customdata:,.1f}/s", {
        stackgroup: group,
        fillcolor: fill,
        yaxis: row ? `y${row}` : "y",
        customdata: y.map(Math.abs),
        ...more,
    });
}

/** What hangs below the axis, the same in each row. */
function impaired(population, row) {
    const traces = [];
    const failed = data.starts.map((_, place) => sum(Object.values(population.failed).map((counts) => counts[place])));
    const named = row ? { showlegend: false } : {};
    if (any(failed)) {
        traces.push(area("failed", rates(failed, -1), colour("failed"), `below${row}`, row, { ...named, legendrank: 2000 }));
    }
    if (any(population.late)) {
        traces.push(area("late", rates(population.late, -1), colour("late"), `below${row}`, row, { ...named, legendrank: 2001 }));
    }
    return traces;
}

function extent(population) {
    const above = data.starts.map((_, place) =>
        sum(Object.values(population.backends).map((counts) => counts[place])) / data.widths[place],
    );
    const below = data.starts.map((_, place) =>
        (sum(Object.values(population.failed).map((counts) => counts[place])) + population.late[place]) / data.widths[place],
    );
    return [Math.max(0, ...below) * 1.08, Math.max(1, ...above) * 1.08];
}

/** How many users there were while its requests were made. */
function usersLine(users) {
    return lineOf("users", middles, users, { color: colour("quiet"), width: 1.5, shape: "hvh" }, "%{y:,.0f}", { yaxis: "y3" });
}

function drawTraffic(box, population) {
    if (!population) return empty(box, "There were no requests.");
    const traces = [];
    for (const [row, what, otherwise] of [["", "backends", "no backend named"], [2, "balancers", "no balancer named"]]) {
        for (const [name, counts] of Object.entries(population[what])) {
            const fill = colour(data.colours[what][name] || "grey");
            traces.push(area(called(name, otherwise), rates(counts), fill, `above${row}`, row));
        }
        traces.push(...impaired(population, row));
    }
    const [below, above] = extent(population);
    const axis = { range: [-below, above], fixedrange: true, zeroline: true, ...ticks(below, above) };
    const rowed = (text, domain) => ({ ...axis, domain, title: { text, standoff: 4 } });
    const users = population.users;
    if (users) traces.push(usersLine(users));
    const [first, second] = users ? [[0.6, 1], [0.2, 0.54]] : [[0.54, 1], [0, 0.46]];
    const made = layout((narrow() ? 520 : 480) + (users ? 80 : 0), {
        xaxis: { anchor: users ? "y3" : "y2" },
        yaxis: rowed("by backend", first),
        yaxis2: rowed("by balancer", second),
        ...(users && { yaxis3: { domain: [0, 0.13], rangemode: "tozero", fixedrange: true, title: { text: "users", standoff: 4 } } }),
        hovermode: "x unified",
    });
    return drawTimed(box, traces, made);
}

function drawLatency(box, population) {
    if (!population || !population.from_send) return empty(box, "Nothing was answered.");
    const traces = [];
    const drawable = (values) => values.map((value) => (value === null ? null : Math.max(value, 0.01)));
    const line = (name, y, color, dash, width) => lineOf(name, middles, drawable(y), { color, dash, width, shape: "hvh" }, "%{y:,.1f} ms");
    const send = population.from_send;
    traces.push({
        type: "bar",
        name: "p50 to p99",
        x: middles,
        width: data.widths,
        base: send.p50.map((value) => Math.max(value || 0.01, 0.01)),
        y: send.p99.map((value, place) => (value === null ? null : Math.max(value - send.p50[place], 0))),
        marker: { color: colour("lb-0", 0.28), line: { width: 0 } },
        hoverinfo: "skip",
    });
    traces.push(line("p50", send.p50, colour("lb-0"), "solid", 2));
    traces.push(line("p99", send.p99, colour("lb-0"), "solid", 1));
    traces.push(line("max", send.max, colour("quiet"), "dot", 1));
    const due = population.from_schedule;
    if (due) {
        traces.push(line("p50 from schedule", due.p50, colour("lb-1"), "dash", 2));
        traces.push(line("p99 from schedule", due.p99, colour("lb-1"), "dash", 1));
        traces.push(line("max from schedule", due.max, colour("lb-1"), "dot", 1));
    }
    const powers = {
        type: "log",
        range: decades(send, due),
        tickvals: [0.01, 0.1, 1, 10, 100, 1000, 10000, 100000],
        ticktext: ["0.01 ms", "0.1 ms", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"],
    };
    const made = bySecond(narrow() ? 400 : 360, powers, { barmode: "overlay", bargap: 0 });
    return drawTimed(box, traces, made);
}

/** Whole powers of ten around what is to be seen. */
function decades(...views) {
    const seen = views.filter(Boolean).flatMap((view) => [...view.p50, ...view.max].filter((value) => value !== null));
    const [low, high] = [Math.min(...seen), Math.max(...seen)].map((value) => Math.log10(Math.max(value, 0.01)));
    return [Math.floor(low), Math.max(Math.ceil(high), Math.floor(low) + 1)];
}

function drawFailures(box, population) {
    const kinds = Object.entries(population ? population.failed : {});
    if (!kinds.length) return empty(box, population ? "No request failed." : "There were no requests.");
    const traces = kinds.map(([kind, counts]) => area(called(kind), rates(counts), colour(kindColour(kind)), "failed", ""));
    const title = { text: narrow() ? "" : "failures/s", standoff: 4 };
    const made = bySecond(narrow() ? 310 : 260, { rangemode: "tozero", title });
    return drawTimed(box, traces, made);
}

function drawLag(box) {
    const population = data.populations.find((one) => one.name === "probes");
    const found = (population || {}).lag;
    if (!found) return empty(box, "No probe was due.");
    const traces = [["p99", "solid", "lb-0"], ["max", "dot", "quiet"]].map(([name, dash, paint]) =>
        lineOf(name, middles, found[name], { color: colour(paint), dash, width: 1.5 }, "%{y:,.2f} ms"),
    );
    const made = bySecond(narrow() ? 280 : 230, { rangemode: "tozero", ticksuffix: " ms" });
    return drawTimed(box, traces, made);
}

/** What each second cost the processes of the machine that measured. */
function drawMachine(box) {
    if (!data.machine.length) return empty(box, "The machine was not watched.");
    const traces = [["stolen_ms", "stolen", "failed"], ["waited_ms", "prober waited", "lb-0"], ["softirq_ms", "softirq", "quiet"]].map(
        ([key, name, paint]) => {
            const [ends, values] = ["to", key].map((one) => data.machine.map((second) => second[one]));
            return lineOf(name, ends, values, { color: colour(paint), width: 1.5, shape: "vh" }, "%{y:,.0f} ms");
        },
    );
    const made = bySecond(narrow() ? 190 : 150, { rangemode: "tozero", ticksuffix: " ms" });
    return drawTimed(box, traces, made);
}

function drawCounters(box) {
    const rows = [["requests", "requests/s"], ["sessions", "sessions"], ["queued", "in the queue"], ["errors", "errors, retries/s"]];
    const kept = rows.filter(([key], place) => data.counters.some((one) => (place ? any(one[key].y) : one[key].x.length)));
    if (!kept.length) return empty(box, "No balancer told its counters.");
    const gap = 0.08;
    const height = (1 - gap * (kept.length - 1)) / kept.length;
    const axes = {};
    const traces = [];
    for (const [place, [key, title]] of kept.entries()) {
        const number = place ? place + 1 : "";
        const top = 1 - place * (height + gap);
        axes[`yaxis${number}`] = {
            domain: [Math.max(0, top - height), top],
            rangemode: "tozero",
            fixedrange: true,
            title: { text: narrow() ? "" : title, standoff: 4 },
        };
        for (const one of data.counters) {
            if (!one[key].x.length) continue;
            const line = { color: colour(data.colours.balancers[one.node] || "grey"), width: 2 };
            const placed = { legendgroup: one.node, showlegend: !place, yaxis: `y${number}` };
            traces.push(lineOf(plain(one.node), one[key].x, one[key].y, line, `%{y:,.1f} ${title}`, placed));
        }
    }
    const made = layout((narrow() ? 110 : 130) * kept.length + (narrow() ? 130 : 96), {
        xaxis: { anchor: kept.length > 1 ? `y${kept.length}` : "y" },
        ...axes,
        hovermode: "x unified",
    });
    return drawTimed(box, traces, made);
}
