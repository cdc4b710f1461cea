// The tables: shares, figures, counters, reconciliation, workers, events.

import { byId, el, replace, table, text } from "./dom.js";
import { lostSoFar } from "./banner.js";
import { after, clock, count, milliseconds, offset, outage, percent, range, rate } from "./format.js";

const ROWS = 12;
const PHASE_COLUMNS = 6;
const known = (value) => value !== null && value !== undefined;
const alarm = (value) => (value ? { text: count(value), class: "bad" } : "0");
const warn = (value) => (value ? { text: count(value), class: "warn" } : "0");

export function showShares({ shares, nodes, verdict }) {
  const parts = [["title name", "backend"], ["title", "share ▏weight"], ["title number", "all"], ["title number", `last ${shares.recent_s} s`], ["title number", "answers"]].map(([kind, words]) => el("span", { class: kind }, words));
  for (const row of shares.backends.slice(0, ROWS)) parts.push(...shareRow(row, null));
  parts.push(...more(shares.backends), el("span", { class: "gap" }), el("span", { class: "title name" }, "balancer"), ...[1, 2, 3, 4].map(() => el("span")));
  for (const row of shares.balancers.slice(0, ROWS)) parts.push(...shareRow(row, `node${nodes.findIndex((node) => node.node === row.name)}`));
  parts.push(...more(shares.balancers));
  replace(byId("shares"), el("div", { class: "share" }, ...parts), verdict ? phaseShares(verdict.shares) : null);
  const by = shares.answered_by;
  const said = [["balancer", "by the balancer itself"], ["none", "without an answer"], ["unknown", "by nobody knows whom"]];
  text(byId("answered"), said.filter(([key]) => by[key]).map(([key, words]) => `${count(by[key])} ${words}`).join(", "));
}

/** Who answered in each phase, probes and requests together, as the verdict counts it. */
function phaseShares(byPhase) {
  const rows = Object.entries(byPhase).map(([phase, kinds]) => ({ phase, ...kinds }));
  const columns = ["balancers", "backends"].flatMap((kind) =>
    [...new Set(rows.flatMap((row) => Object.keys(row[kind])))].map((name) => ({ title: name, number: true, hint: name, class: "name", cell: (row) => percent(row[kind][name] ?? 0, 0) })),
  );
  if (!columns.length || columns.length > PHASE_COLUMNS) return null;
  return table([{ title: "by phase", cell: (row) => row.phase }, ...columns], rows);
}

function shareRow(row, kind) {
  const whole = el("i", { class: kind });
  const recent = el("u");
  whole.style.width = `${(row.share ?? 0) * 100}%`;
  recent.style.width = `${(row.recent ?? 0) * 100}%`;
  const parts = [whole, recent];
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
    el("span", { class: "number" }, percent(row.recent)),
    el("span", { class: "number" }, count(row.count)),
  ];
}

const more = (rows) => (rows.length > ROWS ? [el("span", { class: "note" }, `and ${rows.length - ROWS} more`), ...[1, 2, 3, 4].map(() => el("span"))] : []);

export function showFigures(state) {
  const verdict = state.verdict;
  text(byId("figures-title"), verdict ? "Verdict" : "So far");
  byId("provisional").hidden = Boolean(verdict);
  replace(byId("figures"), ...(verdict ? judged(verdict) : soFar(state)));
}

function judged(verdict) {
  const split = verdict.split_brain_ms;
  const lines = [
    figure("outage", outage(verdict.outage), "big"),
    known(verdict.outage?.loss_derived_ms) && verdict.outage.impaired ? figure("by lost probes", milliseconds(verdict.outage.loss_derived_ms)) : null,
    verdict.failback ? figure("failback", outage(verdict.failback)) : null,
    figure("split brain", known(split) ? (split ? milliseconds(split) : "none") : "unknown: no witness on every balancer", "", split > 0),
    figure("unexplained", known(verdict.reconciliation.unexplained) ? `${count(verdict.reconciliation.unexplained)} requests` : "unknown", "", verdict.reconciliation.unexplained > 0),
  ];
  const phases = Object.keys(verdict.samples?.by_phase ?? verdict.probes?.by_phase ?? {});
  const rows = phases.map((phase) => ({ phase, samples: verdict.samples?.by_phase[phase], probes: verdict.probes?.by_phase[phase] }));
  return [...lines, phaseTable(rows)];
}

function soFar(state) {
  const lost = lostSoFar(state);
  const split = state.split_brain;
  const rows = state.phases.map((phase) => ({ phase: phase.phase, samples: sum(phase.requests), probes: sum(phase.probes) }));
  const predicted = state.run.predict_low_ms;
  return [
    figure("outage, by lost probes", lost === null ? "no fault yet" : `≈ ${milliseconds(lost)}`, "big"),
    known(predicted) ? figure("predicted", range(predicted, state.run.predict_high_ms)) : null,
    figure("split brain", split ? `${split.at_least ? "at least " : ""}${split.total_ms ? milliseconds(split.total_ms) : "none"}` : "unknown: no witness on every balancer", "", split?.total_ms > 0),
    phaseTable(rows),
  ];
}

const sum = ({ ok, failed, late }) => ({ total: ok + failed + late, failed, late });

/** The columns of requests only where there are any, and so with probes. */
function phaseTable(rows) {
  const has = (of) => rows.some((row) => row[of]?.total);
  const column = (title, of, name, numbered = (value) => count(value)) => ({ title, number: true, cell: (row) => (known(row[of]) ? numbered(row[of][name]) : "") });
  return table(
    [
      { title: "phase", cell: (row) => row.phase },
      ...["samples", "probes"].filter(has).flatMap((of) => [
        column(of === "samples" ? "requests" : of, of, "total"),
        column("failed", of, "failed", alarm),
        column("late", of, "late", warn),
      ]),
    ],
    rows,
  );
}

/** After the run it takes the place of the fault button. */
export function showAnatomy({ verdict }) {
  const steps = verdict?.anatomy ?? [];
  byId("anatomy-card").hidden = !steps.length;
  byId("control").hidden = Boolean(steps.length);
  const number = (words) => el("span", { class: "number" }, words);
  replace(
    byId("anatomy"),
    ...steps.map((step) =>
      el(
        "div",
        { class: "step" },
        el("span", {}, step.step),
        number(known(step.after_kill_ms) ? after(step.after_kill_ms * 1000, 3) : "unknown"),
        number(known(step.bound_ms) ? `±${step.bound_ms.toFixed(1)} ms` : ""),
        el("span", { class: "note" }, step.witness + (step.order_undecided ? "; order undecided" : "")),
      ),
    ),
  );
}

const figure = (name, value, kind = "", bad = false) =>
  el("div", { class: `figure ${kind}` }, el("span", { class: "name" }, name), el("span", { class: `value ${bad ? "bad-text" : ""}` }, value));

export function showReconciliation({ verdict }) {
  const found = verdict?.reconciliation;
  byId("reconciliation-card").hidden = !found?.lines.length;
  if (!found?.lines.length) return;
  const nobody = found.exclusive ? "some counters are missing" : "not all traffic is ours";
  const more = found.line_count > found.lines.length ? `; the first ${found.lines.length} of ${found.line_count} lines` : "";
  text(byId("reconciliation-note"), `${known(found.unexplained) ? `${count(found.unexplained)} unexplained` : `unknown: ${nobody}`}, ${count(found.explained)} explained, ${count(found.equal)} counts equal${more}`);
  const because = (line) => Object.entries(line.explained_by).filter(([, number]) => number).map(([words, number]) => `${count(number)} ${words}`).join("; ");
  replace(
    byId("reconciliation"),
    table(
      [
        { title: "count", class: "wrap", cell: (line) => line.name },
        { title: "node", cell: (line) => line.node ?? "" },
        { title: "clients", number: true, cell: (line) => count(line.client) },
        { title: "witness", number: true, cell: (line) => count(line.witness) },
        { title: "said by", cell: (line) => line.said_by },
        { title: "difference", number: true, cell: (line) => count(line.difference) },
        { title: "explained by", class: "wrap", cell: because },
        { title: "unexplained", number: true, cell: (line) => (known(line.unexplained) ? alarm(line.unexplained) : "unknown") },
      ],
      found.lines,
    ),
  );
}

export function showCounters({ haproxy, nginx }) {
  byId("counters-card").hidden = !haproxy.length && !nginx.length;
  const change = (title, name, format = count) => ({ title, number: true, hint: name, cell: (row) => (known(row.changes[name]) ? format(row.changes[name]) : "") });
  const gauge = (title, name) => ({ title, number: true, hint: name, cell: (row) => (known(row.gauges[name]) ? count(row.gauges[name]) : "") });
  const speed = { title: "answers/s", number: true, cell: (row) => (row.silent ? "" : rate(row.answers_rate)) };
  const node = { title: "node", class: "name", cell: (row) => ({ text: row.node, title: row.node }) };
  const up = (row) => (row.silent ? { text: "no figures", class: "bad" } : { text: row.status, class: /^(UP|OPEN|no check)/.test(row.status) ? "good" : "bad" });
  replace(
    byId("haproxy"),
    haproxy.length
      ? table(
          [
            node,
            { title: "proxy", class: "name", cell: (row) => ({ text: row.proxy, title: row.proxy }) },
            { title: "server", class: "name", cell: (row) => ({ text: row.server, title: row.server }) },
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
      ? table([node, speed, gauge("active", "active"), change("accepts", "accepts"), change("handled", "handled"), change("requests", "requests"), gauge("reading", "reading"), gauge("writing", "writing"), gauge("waiting", "waiting")], nginx, (row) => (row.silent ? "silent" : ""))
      : null,
  );
}

export function showWorkers({ workers }) {
  text(byId("workers-note"), workers.length ? `${workers.length > 1 ? `${workers.length} workers, ` : ""}${count(workers.reduce((all, one) => all + (one.samples ?? 0), 0))} samples` : "");
  const optional = (name) => (row) => (known(row[name]) ? count(row[name]) : "");
  replace(
    byId("workers"),
    workers.length
      ? table(
          [
            { title: "worker", class: "name", cell: (row) => ({ text: row.worker || "this process", title: row.worker }) },
            { title: "host", class: "name", cell: (row) => ({ text: row.host ?? "", title: row.host }) },
            { title: "samples", number: true, cell: optional("samples") },
            { title: "lost", number: true, cell: (row) => (known(row.lost) ? alarm(row.lost) : "") },
            { title: "clock", number: true, cell: (row) => (known(row.offset_us) ? offset(row.offset_us) : "") },
            { title: "±", number: true, cell: (row) => (known(row.bound_us) ? `${(row.bound_us / 1000).toFixed(2)} ms` : "") },
            { title: "joined", cell: (row) => (row.joined === "late" ? { text: "late", class: "bad" } : row.joined ?? "") },
            { title: "ended", cell: (row) => (row.ended === "lost" ? { text: "lost", class: "bad" } : row.ended ?? "") },
          ],
          workers,
        )
      : el("p", { class: "quiet" }, "This process makes the load alone, or no worker has said anything yet."),
  );
}

const KINDS = { fault: "bad", first_failure: "bad", warning: "bad", first_success: "good", failback: "good", heal: "good" };

export function showEvents({ events, silent, moments }) {
  const newest = [...events].reverse();
  text(byId("events-note"), silent.length ? `no figures from ${silent.map((one) => `${one.node} (${one.source})`).join(", ")}` : "");
  replace(
    byId("events"),
    table(
      [
        { title: "time", cell: (row) => clock(row.at_us) },
        { title: "after the fault", number: true, cell: (row) => (moments.fired_us && row.at_us >= moments.fired_us ? after(row.at_us - moments.fired_us) : "") },
        { title: "event", cell: (row) => ({ text: row.kind.replaceAll("_", " "), class: KINDS[row.kind] ?? "" }) },
        { title: "", class: "wrap", cell: (row) => row.text },
      ],
      newest,
    ),
  );
}

