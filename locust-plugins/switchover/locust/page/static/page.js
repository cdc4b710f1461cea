// Requests the state once a second and shows it.

import { notStarted, showBanner } from "./banner.js";
import { ControlView } from "./control.js";
import { byId, el, replace, text } from "./dom.js";
import { count, percent, rate } from "./format.js";
import { History } from "./history.js";
import { showFigures } from "./figures.js";
import { showShares } from "./shares.js";
import { showEvents, showWorkers } from "./tables.js";
import { TimelineView, legend } from "./timeline.js";

const EVERY_MS = 1000;
const PATIENCE_MS = 10000;
const SPANS = [
    ["auto", "Auto"],
    [300, "5 min"],
    [900, "15 min"],
    [null, "All"],
];
const AUTO_S = 300;

const history = new History();
const timeline = new TimelineView(byId("timeline"));
const control = new ControlView();
let span = "auto";
let last = null;

function startTheme() {
    const stored = () => {
        try {
            return localStorage.theme;
        } catch {
            return undefined;
        }
    };
    const preferred = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => {
        document.documentElement.dataset.theme = stored() ?? (preferred.matches ? "dark" : "light");
    };
    preferred.addEventListener("change", apply);
    byId("theme").addEventListener("click", () => {
        const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
        try {
            localStorage.theme = next;
        } catch {
            /* not remembered */
        }
        document.documentElement.dataset.theme = next;
    });
    apply();
}

function startSpans() {
    const buttons = SPANS.map(([value, statuses]) => {
        const button = el("button", { type: "button", "aria-pressed": value === span }, statuses);
        button.addEventListener("click", () => {
            span = value;
            for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
            redraw();
        });
        return button;
    });
    byId("spans").append(...buttons);
}

const shownSpan = () => (span !== "auto" ? span : last.state === "ended" ? null : AUTO_S);

function redraw() {
    if (last && last.state !== "none") timeline.draw(last, history, shownSpan());
}

function showFacts(state) {
    const fact = (name, value, title) =>
        value === null || value === undefined || value === ""
            ? null
            : el("div", {}, el("dt", {}, name), el("dd", { title: title ?? value }, value));
    const recent = history.seconds(Math.floor(state.now_us / 1e6)).slice(-3);
    const seconds = recent.length;
    const { good = 0, failed = 0, late = 0 } = state.totals?.requests ?? {};
    const total = good + failed + late;
    replace(
        byId("facts"),
        fact("Target", state.run?.target),
        fact("Run", state.run?.id),
        fact("Address on", state.holders?.join(" and ")),
        fact("Load", state.locust.state.toUpperCase()),
        fact("Users", count(state.locust.users)),
        state.locust.on && seconds
            ? fact("RPS", rate(recent.reduce((number, one) => number + one.good + one.failed + one.late, 0) / seconds))
            : null,
        total
            ? fact(
                  "Failed",
                  percent(failed / total, failed / total < 0.1 ? 2 : 0),
                  `${count(failed)} of ${count(total)} requests`,
              )
            : null,
    );
}

function show(state) {
    last = state;
    byId("main").hidden = false;
    showFacts(state);
    const none = state.state === "none";
    for (const part of byId("main").children) if (part.id !== "banner" && none) part.hidden = true;
    if (none) {
        byId("banner").className = state.refusal ? "banner bad" : "banner";
        replace(
            byId("banner"),
            el("span", { class: "status" }, state.refusal ? "Not started" : "No run yet"),
            el(
                "span",
                { class: "say" },
                state.refusal ? notStarted(state) : "Start the load in Locust. This page then shows the run.",
            ),
        );
        return;
    }
    for (const part of byId("main").children) if (!part.id || part.id === "timeline-card") part.hidden = false;
    document.title = `${state.verdict ? "Verdict" : state.phase || "Switchover"} · ${state.run.id}`;
    showBanner(state);
    redraw();
    showShares(state);
    showFigures(state);
    showWorkers(state);
    showEvents(state);
    control.show(state);
    text(byId("directory"), state.run.directory);
    byId("report").hidden = !state.report;
}

function lost(statuses) {
    byId("lost").hidden = !statuses;
    text(byId("lost"), statuses);
}

/** The state, or null after an error, which the page then shows. */
async function fetchState() {
    const question = new URLSearchParams({ run: history.run ?? 0, since: history.revision });
    try {
        const response = await fetch(`./switchover/state?${question}`, {
            cache: "no-store",
            redirect: "manual",
            signal: AbortSignal.timeout(PATIENCE_MS),
        });
        if (response.type === "opaqueredirect" || response.status === 401) {
            lost("You are not signed in any more: sign in to Locust and reload this page.");
            return null;
        }
        if (response.ok) return await response.json();
        lost(`Locust answers ${response.status}: this page shows old data.`);
    } catch {
        lost("Locust does not answer: this page shows old data.");
    }
    return null;
}

async function poll() {
    const state = await fetchState();
    try {
        if (state) lost("");
        if (state && history.take(state)) show(state);
    } finally {
        setTimeout(poll, EVERY_MS);
    }
}

startTheme();
startSpans();
legend("legend");
addEventListener("resize", redraw);
poll();
