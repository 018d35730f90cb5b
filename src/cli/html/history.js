// SPDX-License-Identifier: MIT
// ---- commits ------------------------------------------------------------------------------------

// The counts of all commits, as lab/history/page.c describes them.
let log = null;
let byDate = false, chooseCommits = null;

const dateOf = commit => commit[2] ? new Date(1000 * commit[2]).toISOString().slice(0, 10) : "";
const countOf = (counts, i) => counts[i] ? BigInt(counts[i]) : null;

// "+1,234" and "+0.05%"
function changeOf(a, b) {
	const delta = a !== null && b !== null ? b - a : 0n, sign = delta > 0n ? "+" : "";

	return { direction: delta > 0n ? "more" : delta < 0n ? "less" : "",
		texts: delta ? [sign + numberText(delta),
			a ? `${sign}${(Number(delta) * 100 / Number(a)).toFixed(2)}%` : ""] : ["", ""] };
}

// Returns the positions of the commits, from 0 to 1: at equal distances, or by their dates.
function positions() {
	const times = log.commits.map(commit => commit[2]), first = Math.min(...times);
	const length = Math.max(...times) - first, last = times.length - 1 || 1;

	return times.map((time, i) => byDate && length ? (time - first) / length : i / last);
}

// The dates below a line, as far as there is room.
function axisOf(at) {
	const axis = make("div", "axis"), room = innerWidth < 640 ? .34 : .26; // for a date
	let free = 0;

	log.commits.forEach((commit, i) => {
		if (i < at.length - 1 && (at[i] < free || at[i] > 1 - room))
			return;
		const tick = make("span", "", commit[1].slice(0, 7), make("br", ""), dateOf(commit));
		tick.style.left = `${100 * at[i]}%`;
		tick.style.translate = `${-100 * at[i]}%`;
		axis.append(tick);
		free = at[i] + room;
	});
	return axis;
}

function seriesFigure([, , , event, text], number) {
	const counts = text.split(","), known = counts.flatMap((n, i) => n ? [i] : []);
	const values = known.map(i => countOf(counts, i)), at = positions();
	const figure = make("figure", "", make("figcaption", "", make("b", "", event),
		make("output", "", known.length ? numberText(values.at(-1)) : "")));

	figure.id = `s${number}`;
	if (!known.length) {
		figure.append(make("p", "note", "not supported"));
		return figure;
	}
	const [least, most] = values.reduce(([a, b], v) => [v < a ? v : a, v > b ? v : b],
		[values[0], values[0]]);
	const point = k => `${(1000 * at[known[k]]).toFixed(1)} ${(most === least ? 50
		: 100 - 100 * Number(values[k] - least) / Number(most - least)).toFixed(1)}`;
	const svg = svgOf("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none", role: "img",
		"aria-label": `${event} of each commit` });

	svg.append(svgOf("path", { d: known.map((_, k) => (k ? "L" : "M") + point(k)).join("") }));
	known.forEach((i, k) => {
		const [, short, , subject] = log.commits[i], before = k ? values[k - 1] : values[k];
		const { direction, texts } = changeOf(before, values[k]);
		const mark = svgOf("path", { class: direction ? `point change ${direction}` : "point",
			d: `M${point(k)}h0` }), title = svgOf("title", {});
		title.textContent = `${short} ${dateOf(log.commits[i])}: ${numberText(values[k])} ` +
			`${texts.join(" ")}\n${subject}`;
		mark.append(title);
		mark.addEventListener("click", () => chooseCommits(known[Math.max(0, k - 1)], i));
		svg.append(mark);
	});
	figure.append(make("div", "plot history", make("span", "top", numberText(most)), svg,
		make("span", "least", numberText(least)), axisOf(at)));
	return figure;
}

function drawLines() {
	const section = one("#lines"), dates = log.commits.every(commit => commit[2]);
	const choice = choiceOf("", "Axis", ["Evenly spaced", ""],
		["By date", "date", byDate, byDate]);
	let charts = null, before = "";

	choice.addEventListener("change", () => {
		byDate = choice.value !== "";
		drawLines();
	});
	section.replaceChildren(make("h2", "", "Commits"), make("div", "tools", dates ? choice : "",
		make("p", "hint", "A click on a commit compares it with the one before.")));
	log.series.forEach((series, i) => {
		const [program, core, settings] = series;

		if (`${[program, core, settings]}` !== before)
			section.append(make("h3", "", program, " ", make("small", "", `${core} ${settings}`)),
				charts = make("div", "charts"));
		before = `${[program, core, settings]}`;
		charts.append(seriesFigure(series, i));
	});
}

// A table of the counts of two commits, which show() fills.
function comparedTable(id, headings, rows) {
	const table = make("table", `sortable compared #${id}`);
	const head = make("tr", ""), body = make("tbody", "");

	for (const [name, className] of [["Base", "n"], ["New", "n"], ["Difference", "n"], ["%", "n"],
		...headings.map(name => [name, ""])]) {
		const cell = make("th", className, name);
		cell.scope = "col";
		head.append(cell);
	}
	body.append(...rows.map(([, ...names]) => make("tr", "",
		...Array.from({ length: 4 }, () => make("td", "n")),
		...names.map((name, i) => make("td", i === 1 ? "" : "name", name)))));
	table.append(make("thead", "", head), body);
	startSorting(table);
	const changed = rows.map(([text], i) => [body.rows[i], text.split(",")]);
	return { table, element: make("div", "scroll", table), show(from, to, hide) {
		for (const [row, counts] of changed) {
			const a = countOf(counts, from), b = countOf(counts, to);
			const { direction, texts } = changeOf(a, b);
			const shown = [a === null ? "" : numberText(a), b === null ? "" : numberText(b), ...texts];

			shown.forEach((text, i) => {
				row.cells[i].textContent = text;
				row.cells[i].className = i < 2 ? "n" : `n ${direction}`;
			});
			row.classList.toggle("same", hide && (a === null || b === null || a === b));
		}
	} };
}

// Compares any two commits, a base and a new one, which the reader chooses.
function startComparison() {
	const section = one("#compare"), names = ["Program", "Core", "Event"];
	const nameOf = ([program, core, settings]) => [program, settings ? `${core} ${settings}` : core];
	const [base, fresh] = ["#base", "#new"].map(id => make("select", id,
		...log.commits.map((commit, i) =>
			new Option(`${commit[1]} ${dateOf(commit)} ${commit[3].slice(0, 60)}`, i))));
	const series = comparedTable("compared", names,
		log.series.map(s => [s[4], ...nameOf(s), s[3]]));
	const functions = comparedTable("functions-compared", [...names, "Function"],
		log.functions.map(([of, event, name, , counts]) =>
			[counts, ...nameOf(log.series[of]), event, name]));
	all("tbody tr", functions.element).forEach((row, i) => {
		row.title = log.functions[i][3];
	});

	function show() {
		series.show(base.value, fresh.value, false);
		functions.show(base.value, fresh.value, true);
	}
	chooseCommits = (from, to) => {
		base.value = from;
		fresh.value = to;
		show();
		section.scrollIntoView({ behavior: "smooth" });
	};
	section.append(make("h2", "", "Two commits"), make("div", "tools",
		make("label", "", "Base ", base), make("label", "", "New ", fresh)), series.element);
	if (log.functions.length) {
		section.append(make("h3", "", "Functions that differ"), functions.element);
		functions.table.dataset.filter = "Filter functions";
		startFilter(functions.table);
	}
	base.value = log.base;
	fresh.value = log.last;
	for (const choice of [base, fresh])
		choice.addEventListener("change", show);
	show();
}

function startHistory(data) {
	log = JSON.parse(data.textContent);
	drawLines();
	startComparison();
}
