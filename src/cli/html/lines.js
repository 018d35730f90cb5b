// SPDX-License-Identifier: MIT
// ---- lines over time ----------------------------------------------------------------------------

// Three digits are enough for an axis.
const shortText = v => v >= 1000 ? numberText(Math.round(v)) : `${Number(v.toPrecision(3))}`;

// A chart is 1000 by 100. `points` are [from, to, height], each between 0 and 1; a height of null
// makes a gap.
function pathOf(points) {
	let drawn = false;

	return points.map(([from, to, height]) => {
		const begin = `${drawn ? "L" : "M"}${(1000 * from).toFixed(2)},` +
			`${(100 - 100 * height).toFixed(2)}H${(1000 * to).toFixed(2)}`;
		drawn = height !== null;
		return drawn ? begin : "";
	}).join("");
}

function plotOf(top, right, ...content) {
	const svg = svgOf("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none",
		"aria-hidden": true });

	svg.append(...content);
	return make("div", "plot", make("span", "top", top), svg, make("span", "left", "0"),
		make("span", "right", right));
}

// A column of the table of intervals as a chart: the rate of an event, or a metric as it is.
function figureOf(head, cells, ends, clock) {
	const metric = "unit" in head.dataset;
	const texts = cells.map(cell => cell.textContent.replaceAll(",", ""));
	const heights = texts.map((text, i) => text === "" ? null : metric ? Number(text)
		: Number(text) / (ends[i] - (ends[i - 1] || 0)) * clock.dataset.scale);
	const most = Math.max(...heights), whole = ends.at(-1);
	const trust = make("span", "trust", head.dataset.trust || ""), output = make("output", "");
	const unit = metric ? head.dataset.unit : clock.dataset.unit;

	if (metric && !(most > 0))
		return null;
	trust.dataset.trust = head.dataset.trust;
	const figure = make("figure", "",
		make("figcaption", "", make("b", "", head.textContent), metric ? "" : trust, output),
		plotOf(`${shortText(most)} ${unit}`, `${shortText(whole)} ${clock.textContent}`,
			svgOf("path", { d: pathOf(heights.map((height, i) => [(ends[i - 1] || 0) / whole,
				ends[i] / whole, height === null ? null : most && height / most])) })));
	return { figure, output, metric, texts };
}

// Shows the numbers of one interval, of several, or of all.
function tellFigure({ output, metric, texts }, from, to) {
	const chosen = texts.slice(from, to + 1).filter(text => text !== "");

	if (!metric)
		output.textContent = chosen.length
			? numberText(chosen.reduce((sum, v) => sum + BigInt(v), 0n)) : "";
	else
		output.textContent = from === to ? texts[from] : "";
}

// Charts of all events, in which the pointer and the arrow keys show an interval, and a drag or
// shift with the arrow keys selects several.
function startLine(section, number) {
	const table = one("table", section), [clock, ...heads] = table.tHead.rows[0].cells;
	const rows = [...table.tBodies[0].rows];
	const ends = rows.map(row => Number(row.cells[0].textContent.replaceAll(",", "")));
	const whole = ends.at(-1), startOf = i => ends[i - 1] || 0;
	const figures = heads.map((head, i) =>
		figureOf(head, rows.map(row => row.cells[i + 1]), ends, clock)).filter(f => f)
		.sort((a, b) => b.metric - a.metric);
	const hint = make("p", "hint"), charts = make("div", "charts",
		...figures.map(f => f.figure));
	const clear = make("button", "", "All intervals");
	const usual = "Point at a chart, or use the arrow keys: counts of that interval. Drag, or " +
		"hold Shift with an arrow key: counts of several.";
	const name = `line${number}`;
	// chosen: the selected intervals, or null. at: the interval that the arrow keys have reached.
	// dragged, anchor: the interval at which a drag, or a selection by keys, began.
	let chosen = null, at = -1, dragged = -1, anchor = -1;

	for (const f of figures) {
		f.mark = svgOf("rect", { class: "cursor", y: 0, height: 100 });
		one("svg", f.figure).append(f.mark);
	}
	charts.tabIndex = 0;
	named(charts, "Charts; the arrow keys move between intervals", { role: "group" });
	hint.setAttribute("aria-live", "polite");
	one("details", section).before(make("div", "tools", clear, hint), charts);

	function show(from, to) {
		const begin = from < 0 ? 0 : 1000 * startOf(from) / whole;

		for (const f of figures) {
			f.mark.setAttribute("x", begin);
			f.mark.setAttribute("width", from < 0 ? 0 : 1000 * ends[to] / whole - begin);
			tellFigure(f, Math.max(from, 0), from < 0 ? ends.length - 1 : to);
		}
		rows.forEach((row, i) => row.classList.toggle("chosen", i >= from && i <= to));
		clear.disabled = !chosen;
		hint.textContent = from < 0 ? usual
			: `${from ? rows[from - 1].cells[0].textContent : 0} to ` +
			`${rows[to].cells[0].textContent} ${clock.textContent}` +
			(from < to ? `, ${to - from + 1} intervals` : "");
	}
	const rest = () => show(...(chosen || [-1, -1]));

	function select(a, b) {
		chosen = a < 0 || a === b ? null : [Math.min(a, b), Math.max(a, b)];
		rest();
	}

	// Stores the selection in the address of the page.
	function remember() {
		const state = new URLSearchParams(location.hash.slice(1));

		state.delete(name);
		if (chosen)
			state.set(name, chosen.join("-"));
		if (`${state}` !== location.hash.slice(1))
			history.replaceState(null, "", `#${state}`);
	}

	function intervalAt(e) {
		const figure = e.target.closest("figure") || one("figure", charts);
		const box = one("svg", figure).getBoundingClientRect();
		const x = (e.clientX - box.left) / box.width * whole;
		const i = ends.findIndex(end => x <= end);

		return x < 0 ? 0 : i < 0 ? ends.length - 1 : i;
	}

	charts.addEventListener("pointerdown", e => {
		if (e.target.closest("svg") && !e.button)
			dragged = intervalAt(e);
	});
	charts.addEventListener("pointermove", e => {
		if (dragged >= 0)
			select(dragged, intervalAt(e));
		if (!chosen && e.target.closest("figure"))
			show(intervalAt(e), intervalAt(e));
	});
	document.addEventListener("pointerup", () => {
		if (dragged >= 0)
			remember();
		dragged = -1;
	});
	charts.addEventListener("pointerleave", rest);
	clear.addEventListener("click", () => {
		select(-1);
		remember();
	});
	charts.addEventListener("keydown", e => {
		const step = { ArrowLeft: -1, ArrowRight: 1, Escape: 0 }[e.key];

		if (step === undefined)
			return;
		e.preventDefault();
		anchor = !e.shiftKey || !step ? -1 : anchor < 0 ? Math.max(0, at) : anchor;
		at = step ? Math.min(ends.length - 1, Math.max(0, at + step)) : -1;
		select(anchor, at);
		if (!chosen)
			show(at, at);
		remember();
	});
	const [from, to] = (new URLSearchParams(location.hash.slice(1)).get(name) || "")
		.split("-").map(Number);
	if (from >= 0 && to < ends.length)
		select(from, to);
	else
		rest();
}
