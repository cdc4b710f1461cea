// The tables of workers and events.

import { byId, el, replace, table, text } from "./dom.js";
import { after, alarm, clock, count, known, offset } from "./format.js";

/** A column of numbers. An unknown number is an empty cell. */
const numbers = (title, value, format = count, more = {}) => ({
    title,
    number: true,
    cell: (row) => (known(value(row)) ? format(value(row)) : ""),
    ...more,
});

/** A column of names. A long name is cut off, and its tooltip has the complete name. */
const names = (title, name) => ({ title, class: "name", cell: (row) => ({ text: row[name] ?? "", title: row[name] }) });

const bad = (text) => ({ text, class: "bad" });

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
            : el("p", { class: "quiet" }, "This process makes the load alone, or no worker has sent a message yet."),
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

export function showEvents({ events, moments }) {
    const newest = [...events].reverse();
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
