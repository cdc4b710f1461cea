// The tables below: accounting, counters, workers, events.

import { byId, el, replace, table, text } from "./dom.js";
import { after, alarm, clock, count, known, offset, rate } from "./format.js";

/** A column of numbers; empty where one is not known. */
const numbers = (title, value, format = count, more = {}) => ({
    title,
    number: true,
    cell: (row) => (known(value(row)) ? format(value(row)) : ""),
    ...more,
});

/** A column of names, which are cut off where there is no room, and then stand beside the pointer. */
const names = (title, name) => ({ title, class: "name", cell: (row) => ({ text: row[name] ?? "", title: row[name] }) });

const bad = (text) => ({ text, class: "bad" });

export function showAccounting({ verdict }) {
    const found = verdict?.accounting;
    byId("accounting-card").hidden = !found?.lines.length;
    if (!found?.lines.length) return;
    const why = found.dedicated ? "not everything was counted" : "not all traffic is ours";
    const all = found.line_count > found.lines.length ? [`${found.lines.length} of ${found.line_count} lines`] : [];
    const unaccounted = known(found.unaccounted) ? `${count(found.unaccounted)} unaccounted` : `unknown: ${why}`;
    const others = [`${count(found.explained)} explained`, `${count(found.equal)} counts equal`, ...all];
    text(byId("accounting-note"), [unaccounted, ...others].join(", "));
    const because = (line) =>
        Object.entries(line.explained_by)
            .filter(([, number]) => number)
            .map(([statuses, number]) => `${count(number)} ${statuses}`)
            .join("; ");
    replace(
        byId("accounting"),
        table(
            [
                { title: "count", class: "wrap", cell: (line) => line.name },
                { title: "node", cell: (line) => line.node ?? "" },
                { title: "clients", number: true, cell: (line) => count(line.client) },
                { title: "source", number: true, cell: (line) => count(line.source) },
                { title: "said by", cell: (line) => line.said_by },
                { title: "difference", number: true, cell: (line) => count(line.difference) },
                { title: "explained by", class: "wrap", cell: because },
                {
                    title: "unaccounted",
                    number: true,
                    cell: (line) => (known(line.unaccounted) ? alarm(line.unaccounted) : "unknown"),
                },
            ],
            found.lines,
        ),
    );
}

export function showCounters({ haproxy, nginx }) {
    byId("counters-card").hidden = !haproxy.length && !nginx.length;
    const change = (title, name, format = count) => numbers(title, (row) => row.changes[name], format, { hint: name });
    const gauge = (title, name) => numbers(title, (row) => row.gauges[name], count, { hint: name });
    const speed = { title: "answers/s", number: true, cell: (row) => (row.silent ? "" : rate(row.answers_rate)) };
    const node = names("node", "node");
    const up = (row) =>
        row.silent
            ? bad("no figures")
            : { text: row.status, class: /^(UP|OPEN|no check)/.test(row.status) ? "good" : "bad" };
    replace(
        byId("haproxy"),
        haproxy.length
            ? table(
                  [
                      node,
                      names("proxy", "proxy"),
                      names("server", "server"),
                      { title: "status", cell: up },
                      gauge("sessions", "scur"),
                      gauge("queue", "qcur"),
                      speed,
                      change("2xx", "hrsp_2xx"),
                      change("3xx", "hrsp_3xx"),
                      change("4xx", "hrsp_4xx"),
                      change("5xx", "hrsp_5xx", alarm),
                      change("other", "hrsp_other"),
                      change("econ", "econ", alarm),
                      change("eresp", "eresp", alarm),
                      change("retries", "wretr", alarm),
                      change("redispatches", "wredis", alarm),
                  ],
                  haproxy,
                  (row) => [row.type === "server" ? "" : "section", row.silent ? "silent" : ""].join(" ").trim(),
              )
            : null,
    );
    replace(
        byId("nginx"),
        nginx.length
            ? table(
                  [
                      node,
                      speed,
                      gauge("active", "active"),
                      change("accepts", "accepts"),
                      change("handled", "handled"),
                      change("requests", "requests"),
                      gauge("reading", "reading"),
                      gauge("writing", "writing"),
                      gauge("waiting", "waiting"),
                  ],
                  nginx,
                  (row) => (row.silent ? "silent" : ""),
              )
            : null,
    );
}

export function showWorkers({ workers }) {
    const samples = workers.reduce((sum, one) => sum + (one.samples ?? 0), 0);
    const many = workers.length > 1 ? `${workers.length} workers, ` : "";
    text(byId("workers-note"), workers.length ? `${many}${count(samples)} samples` : "");
    replace(
        byId("workers"),
        workers.length
            ? table(
                  [
                      {
                          title: "worker",
                          class: "name",
                          cell: (row) => ({ text: row.worker || "this process", title: row.worker }),
                      },
                      names("host", "host"),
                      numbers("samples", (row) => row.samples),
                      numbers("lost", (row) => row.lost, alarm),
                      numbers("clock", (row) => row.offset_us, offset),
                      numbers("±", (row) => row.bound_us, (us) => `${(us / 1000).toFixed(2)} ms`),
                      { title: "joined", cell: (row) => (row.joined === "late" ? bad("late") : (row.joined ?? "")) },
                      { title: "ended", cell: (row) => (row.ended === "lost" ? bad("lost") : (row.ended ?? "")) },
                  ],
                  workers,
              )
            : el("p", { class: "quiet" }, "This process makes the load alone, or no worker has said anything yet."),
    );
}

const KINDS = {
    fault: "bad",
    first_failure: "bad",
    warning: "bad",
    first_success: "good",
    failback: "good",
    heal: "good",
};

export function showEvents({ events, silent, moments }) {
    const newest = [...events].reverse();
    text(
        byId("events-note"),
        silent.length ? `no figures from ${silent.map((one) => `${one.node} (${one.source})`).join(", ")}` : "",
    );
    replace(
        byId("events"),
        table(
            [
                { title: "time", cell: (row) => clock(row.at_us) },
                {
                    title: "after the fault",
                    number: true,
                    cell: (row) =>
                        moments.fired_us && row.at_us >= moments.fired_us ? after(row.at_us - moments.fired_us) : "",
                },
                {
                    title: "event",
                    cell: (row) => ({ text: row.kind.replaceAll("_", " "), class: KINDS[row.kind] ?? "" }),
                },
                { title: "", class: "wrap", cell: (row) => row.text },
            ],
            newest,
        ),
    );
}
