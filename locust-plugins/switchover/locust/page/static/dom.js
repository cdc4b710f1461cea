// Builds elements of the page. All text is set as text and never parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** An HTML element; `attributes.class`, and children that are elements or texts. */
export function el(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function svg(tag, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value !== null && value !== undefined && value !== false) node.setAttribute(name, String(value));
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
}

/** Replace the children of a node if they differ. Otherwise the selection and the scroll position are kept. */
export function replace(node, ...children) {
    const next = node.cloneNode(false);
    next.append(...children.filter((child) => child !== null && child !== undefined));
    if (!node.isEqualNode(next)) node.replaceChildren(...next.childNodes);
}

export function text(node, value) {
    if (node.textContent !== value) node.textContent = value;
}

/** A table of columns {title, cell(row), number}, where a cell is a text or {text, class, title}. */
export function table(columns, rows, rowClass = () => "") {
    const head = el(
        "tr",
        {},
        ...columns.map((c) => el("th", { class: c.number && "number", title: c.hint }, c.title)),
    );
    const body = rows.map((row) =>
        el("tr", { class: rowClass(row) || null }, ...columns.map((column) => cell(column, column.cell(row)))),
    );
    return el("table", {}, el("thead", {}, head), el("tbody", {}, ...body));
}

function cell(column, content) {
    const {
        text: shown,
        class: kind,
        title,
    } = content !== null && typeof content === "object" ? content : { text: content };
    const classes = [column.number && "number", column.class, kind].filter(Boolean).join(" ");
    return el("td", { class: classes || null, title }, shown === null || shown === undefined ? "" : String(shown));
}
