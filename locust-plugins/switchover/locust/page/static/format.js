// Figures as text, with the words and the rounding of the console's summary.

const NUMBER = new Intl.NumberFormat("en-US");
export const known = (value) => value !== null && value !== undefined;

/** A number that should be 0, as a cell of a table. */
export const alarm = (value) => (value ? { text: count(value), class: "bad" } : "0");
export const warn = (value) => (value ? { text: count(value), class: "warn" } : "0");

export const count = (value) => (known(value) ? NUMBER.format(value) : "unknown");

/** Whole milliseconds, halves upwards. */
export const milliseconds = (ms) => (known(ms) ? `${NUMBER.format(Math.floor(ms + 0.5))} ms` : "unknown");

export const percent = (share, digits = 1) => (known(share) ? `${(share * 100).toFixed(digits)} %` : "");

/** A rate: whole numbers above ten. */
export const rate = (value) =>
    !known(value)
        ? ""
        : value >= 10000
          ? `${(value / 1000).toFixed(1)}k`
          : NUMBER.format(+value.toFixed(value < 10 ? 1 : 0));

/** `2,609 to 3,609 ms` */
export function range(low, high) {
    if (!known(low)) return "unknown";
    if (!known(high)) return `at least ${milliseconds(low)}`;
    return `${NUMBER.format(Math.round(low))} to ${NUMBER.format(Math.round(high))} ms`;
}

/** `+3.81 s` */
export const after = (us, digits = 2) => `${us < 0 ? "−" : "+"}${(Math.abs(us) / 1e6).toFixed(digits)} s`;

/** `1:05` into the run, in minutes and seconds. */
export function into(seconds) {
    const sign = seconds < 0 ? "−" : "";
    const whole = Math.abs(Math.round(seconds));
    return `${sign}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** `07:04:19.029` of the day, local. */
export function clock(us, fraction = true) {
    const at = new Date(us / 1000);
    const two = (value) => String(value).padStart(2, "0");
    const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
    return fraction ? `${time}.${String(at.getMilliseconds()).padStart(3, "0")}` : time;
}

/** `−0.41 ms`: the offset of a clock. */
export function offset(us) {
    if (!known(us)) return "unknown";
    return `${us < 0 ? "−" : "+"}${(Math.abs(us) / 1000).toFixed(2)} ms`;
}
