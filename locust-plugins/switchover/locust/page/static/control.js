// The fault button needs two steps: tick the box, then fire. The tick is removed after a while.

import { underWay, wordOf } from "./banner.js";
import { byId, el, replace, text } from "./dom.js";

const MEANT_MS = 15000;

export class ControlView {
    constructor() {
        this.token = document.querySelector('meta[name="switchover-token"]').content;
        this.asked = false;
        this.timer = null;
        this.state = null;
        byId("fault-armed").addEventListener("change", () => this.meant());
        byId("fault-name").addEventListener("change", () => {
            this.disarm();
            this.enable();
        });
        byId("fire").addEventListener("click", () => this.fire());
        byId("heal").addEventListener("click", () => this.ask("heal", {}));
    }

    show(state) {
        const control = state.control;
        this.state = state;
        byId("control-on").hidden = !control.available;
        text(byId("control-off"), control.available ? "" : (control.refusal ?? ""));
        text(byId("control-phase"), control.available && control.phase ? wordOf(state) : "");
        if (control.available) this.choices(control);
        replace(byId("notes"), ...(control.notes ?? []).toReversed().map((note) => el("li", {}, note)));
        this.enable();
    }

    /** Keep the list of faults if the names did not change. */
    choices(control) {
        const names = control.fault ? [control.fault] : ["", ...control.faults];
        const box = byId("fault-name");
        const shown = [...box.options].map((option) => option.value);
        if (names.length === shown.length && names.every((name, index) => name === shown[index])) return;
        box.replaceChildren(...names.map((name) => el("option", { value: name }, name || "choose a fault …")));
        this.disarm();
    }

    enable() {
        const control = this.state?.control;
        const can = Boolean(control?.available) && !control.refusal && !this.asked;
        byId("fault-name").disabled = !can;
        const chosen = can && byId("fault-name").value !== "";
        byId("fault-armed").disabled = !chosen;
        if (!chosen && byId("fault-armed").checked) this.disarm();
        byId("fire").disabled = !(chosen && byId("fault-armed").checked);
        byId("heal").disabled = !control?.available || Boolean(control.heal_refusal);
        if (this.answer || !control?.available) return;
        const doing = underWay(control)?.[1] ?? (this.asked ? "asking the drill to fire" : null);
        this.say(doing ? `${doing} …` : control.fired_us ? "" : (control.refusal ?? ""));
    }

    meant() {
        clearTimeout(this.timer);
        this.answer = null;
        if (byId("fault-armed").checked) this.timer = setTimeout(() => this.disarm(), MEANT_MS);
        this.enable();
    }

    disarm() {
        clearTimeout(this.timer);
        byId("fault-armed").checked = false;
        byId("fire").disabled = true;
    }

    async fire() {
        if (!byId("fault-armed").checked) return;
        const name = byId("fault-name").value;
        this.disarm();
        this.asked = true;
        this.enable();
        await this.ask("fire", { fault: name });
        this.asked = false;
        this.enable();
    }

    /** Send an action. The reason of a refusal is shown until the next attempt. */
    async ask(what, body) {
        this.answer = null;
        this.say("");
        try {
            const response = await fetch(`./switchover/${what}`, {
                method: "POST",
                redirect: "error",
                headers: { "Content-Type": "application/json", "X-Switchover-Token": this.token },
                body: JSON.stringify(body),
            });
            const { refusal } = await response.json();
            this.answer = refusal ?? null;
        } catch {
            this.answer = "not sent: Locust does not answer, or you are no longer signed in";
        }
        this.say(this.answer ?? "");
    }

    say(statuses) {
        text(byId("refusal"), statuses);
    }
}
