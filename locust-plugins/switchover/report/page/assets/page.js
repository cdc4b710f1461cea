// Draws the charts one after the other, so that the text appears at once, and handles the buttons.

const charts = { traffic: drawTraffic, latency: drawLatency, failures: drawFailures };
let population = data.populations.length ? data.populations[0].name : null;
const chosen = () => data.populations.find((one) => one.name === population);

async function drawAll() {
    const boxes = [...document.querySelectorAll("[data-chart]")];
    // Until a chart is drawn again, its table would have the rows of the previous chart.
    for (const box of boxes) box.nextElementSibling.inert = true;
    for (const box of boxes) {
        await charts[box.dataset.chart](box, chosen());
        offerData(box);
        await new Promise((next) => setTimeout(next));
    }
}

function press(group, pressed) {
    for (const button of group) button.setAttribute("aria-pressed", String(button === pressed));
}

const zooms = [...document.querySelectorAll("[data-zoom]")];
for (const button of zooms) {
    button.addEventListener("click", () => {
        if (button.dataset.zoom === "all") return zoomTo(null);
        const [from, to] = [Number(button.dataset.from), Number(button.dataset.to)];
        const around = Math.max((to - from) * 0.15, 0.25);
        zoomTo([from - around, to + around]);
        press(zooms, button);
    });
}
document.addEventListener("zoomed", () => press(zooms, shown ? null : zooms[0]));

for (const button of document.querySelectorAll("[data-move]")) {
    button.addEventListener("click", () => move(button.dataset.move));
}

const populations = [...document.querySelectorAll("[data-population]")];
for (const button of populations) {
    button.addEventListener("click", () => {
        population = button.dataset.population;
        press(populations, button);
        drawAll();
    });
}

document.getElementById("zoom").hidden = !data.populations.length;
keepDrawn(drawAll);
