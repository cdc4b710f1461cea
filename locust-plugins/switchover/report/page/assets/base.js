"use strict";
// What all charts share: the data, the colours of the style sheet, and text that Plotly must not take for markup.

const data = JSON.parse(document.getElementById("data").textContent);
const NARROW = 640;
const NAME_LENGTH = 28;

/** A name from the network as Plotly's pseudo-HTML shows it: as it is, and apart from what stands around it. */
function plain(text, length = NAME_LENGTH) {
    const short = text.length > length ? text.slice(0, length - 1) + "…" : text;
    const safe = short.replace(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd");
    return "\u2068" + safe.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;") + "\u2069";
}

const probe = document.createElement("span");
probe.hidden = true;
document.body.append(probe);

/** A custom property of the style sheet as a colour, in the theme that is on. */
function colour(name, opacity = 1) {
    probe.style.color = `var(--${name})`;
    const [red, green, blue] = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
    return `rgba(${red}, ${green}, ${blue}, ${opacity})`;
}

const narrow = () => window.innerWidth < NARROW;
const sum = (values) => values.reduce((total, value) => total + value, 0);
const any = (values) => values.some((value) => value);

/** Round steps for an axis that goes from -below to above, and is labelled with what a reader would count. */
function ticks(below, above) {
    const rough = Math.max(below + above, 1e-9) / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
    const values = [];
    for (let at = -Math.floor(below / step); at <= Math.ceil(above / step); at++) values.push(at * step);
    return { tickvals: values, ticktext: values.map((value) => Math.abs(value).toLocaleString("en-US")) };
}

function layout(height, more = {}) {
    const quiet = colour("quiet");
    const axis = { gridcolor: colour("line"), linecolor: colour("line"), zerolinecolor: colour("quiet") };
    const made = {
        height,
        autosize: true,
        margin: { l: narrow() ? 50 : 64, r: 8, t: 26, b: more.showlegend === false ? 44 : narrow() ? 104 : 70 },
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        font: { family: "system-ui, 'Segoe UI', Roboto, Arial, sans-serif", size: 12, color: quiet },
        hoverlabel: { bgcolor: colour("paper"), bordercolor: colour("line"), font: { color: colour("text"), size: 12 } },
        legend: { orientation: "h", traceorder: "normal", x: 0, y: 0, yref: "container", yanchor: "bottom", font: { color: colour("text") } },
        showlegend: true,
        ...more,
    };
    for (const key of Object.keys(made).filter((name) => /^[xy]axis/.test(name))) made[key] = { ...axis, ...made[key] };
    return made;
}

const CONFIG = { displayModeBar: false, responsive: true, doubleClick: false, scrollZoom: false };

function empty(box, text) {
    const said = document.createElement("p");
    said.className = "empty";
    said.textContent = text;
    box.replaceChildren(said);
    box.style.minHeight = "0";
    box.removeAttribute("role");
    box.removeAttribute("aria-label");
}

/** Light, dark, or as the system has it; remembered where the browser lets a file remember. */
function followTheme(redraw) {
    const KEY = "switchover-theme";
    const buttons = [...document.querySelectorAll("[data-theme]")].filter((one) => one.tagName === "BUTTON");
    const choose = (theme) => {
        if (theme === "auto") delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = theme;
        for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.theme === theme));
    };
    let kept = null;
    try {
        kept = localStorage.getItem(KEY);
    } catch {
        // a page from a file may have no storage
    }
    if (buttons.some((button) => button.dataset.theme === kept)) choose(kept);
    for (const button of buttons) {
        button.addEventListener("click", () => {
            choose(button.dataset.theme);
            try {
                localStorage.setItem(KEY, button.dataset.theme);
            } catch {
                // then it holds until the page is closed
            }
            redraw();
        });
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    document.getElementById("theme").hidden = false;
}

/** Draw now, and again whenever the colours or the width change. The page says when it is drawn. */
function keepDrawn(drawAll) {
    const redraw = async () => {
        await drawAll();
        document.documentElement.dataset.drawn = "yes";
    };
    let waiting = null;
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
        if (window.innerWidth === width) return; // a phone's address bar comes and goes
        width = window.innerWidth;
        clearTimeout(waiting);
        waiting = setTimeout(redraw, 150);
    });
    followTheme(redraw);
    redraw();
}
