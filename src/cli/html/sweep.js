// SPDX-License-Identifier: MIT
// ---- sweeps -------------------------------------------------------------------------------------

// The cells of the sweep: its table in the page. Factors are the program, the core and the
// settings; lab/sweep/answers.c computes the same answers.
let cells = null, factors = null, counted = null;

// "32K" as a number; a word is NaN.
function settingNumber(text) {
	const match = /^(\d+(?:\.\d+)?)([KM]?)$/i.exec(text);

	return match ? match[1] * 1024 ** ["", "K", "M"].indexOf(match[2].toUpperCase()) : NaN;
}

function compareLevels(a, b) {
	const [x, y] = [settingNumber(a), settingNumber(b)];

	return (b === "-") - (a === "-") || Number.isNaN(x) - Number.isNaN(y) || x - y ||
		(a > b) - (a < b);
}

function readCells(table) {
	const heads = [...table.tHead.rows[0].cells];
	const columns = kind => heads.filter(head => head.dataset.kind === kind);

	factors = columns("factor").map((head, i) => i < 2 ? head.textContent.toLowerCase()
		: head.textContent);
	counted = columns("event").map(head => head.textContent);
	cells = [...table.tBodies[0].rows].map(row => ({
		factor: columns("factor").map(head => row.cells[head.cellIndex].textContent),
		count: columns("event").map(head => {
			const text = row.cells[head.cellIndex].textContent.replaceAll(",", "");
			return /^\d+$/.test(text) ? Number(text) : null;
		}) }));
}

// The cells with this event, relative to the mean of their program, of one core or of all.
function relativeCells(number, core) {
	const found = cells.filter(cell => cell.count[number] !== null &&
		(core === "" || cell.factor[1] === core));
	const sums = new Map();

	for (const { factor: [program], count } of found) {
		const [sum, n] = sums.get(program) || [0, 0];
		sums.set(program, [sum + count[number], n + 1]);
	}
	return found.map(({ factor, count }) => {
		const [sum, n] = sums.get(factor[0]);
		return { factor, nothing: sum === 0, value: sum ? count[number] * n / sum : 1 };
	});
}

const meanOf = values => values.reduce((sum, v) => sum + v, 0) / values.length;
const percent = v => (100 * v).toFixed(1);

// Means by the value of a factor, in the order of these values.
function levelsOf(parts, factor) {
	const levels = Map.groupBy(parts, part => part.factor[factor]);

	return [...levels].map(([value, of]) => ({ value, n: of.length,
		mean: meanOf(of.map(part => part.value)) }))
		.sort((a, b) => compareLevels(a.value, b.value));
}

function rowOf(...contents) {
	return make("tr", "", ...contents.map(content => typeof content === "string"
		? make("td", "n", content) : content));
}

function tableOf(headings, rows) {
	const table = make("table", "", make("thead", "", make("tr", "", ...headings.map(name =>
		make("th", name[0] === "#" ? "n" : "", name.replace("#", ""))))), make("tbody", "", ...rows));

	return make("div", "scroll fit", table);
}

function drawMap(table, parts, across, down) {
	const [columns, rows] = [across, down].map(factor => levelsOf(parts, factor));
	const spot = (row, column) => parts.filter(part => !part.nothing &&
		part.factor[down] === row.value && part.factor[across] === column.value);
	const means = rows.map(row => columns.map(column => {
		const found = spot(row, column);
		return found.length ? meanOf(found.map(part => part.value)) : null;
	}));
	const known = means.flat().filter(mean => mean !== null);
	const least = Math.min(1, ...known), most = Math.max(1, ...known);

	table.tHead.replaceChildren(make("tr", "", make("th", "", factors[down]),
		...columns.map(column => make("th", "n", column.value))));
	table.tBodies[0].replaceChildren(...rows.map((row, y) => rowOf(make("th", "", row.value),
		...means[y].map(mean => {
			const cell = make("td", "n heat", mean === null ? "" : percent(mean));
			cell.style.setProperty("--p", mean === null || most === least ? "0%"
				: `${percent((mean - least) / (most - least))}%`);
			return cell;
		}))));
}

// Returns how much of the variance each factor except the program explains.
function sensitivity(parts) {
	const all = parts.reduce((sum, part) => sum + (part.value - 1) ** 2, 0);
	const rows = [];

	factors.forEach((name, factor) => {
		const levels = levelsOf(parts, factor);
		const explained = levels.reduce((sum, l) => sum + l.n * (l.mean - 1) ** 2, 0);
		const low = levels.reduce((a, b) => b.mean < a.mean ? b : a, levels[0]);
		const high = levels.reduce((a, b) => b.mean > a.mean ? b : a, levels[0]);

		if (factor && levels.length > 1)
			rows.push([all ? explained / all : 0, name,
				`${percent(low.mean)}% at ${low.value}`, `${percent(high.mean)}% at ${high.value}`]);
	});
	rows.sort((a, b) => b[0] - a[0]);
	return tableOf(["Setting", "#Explains", "#Least", "#Most"], rows.map(([part, name, ...texts]) => {
		const bar = make("td", "n bar", `${percent(part)}%`);
		bar.style.setProperty("--p", `${percent(part)}%`);
		return rowOf(make("th", "name", name), bar, ...texts);
	}));
}

// Returns the cores with their settings, with the sums of all programs for two goals: [design, x,
// y].
function designs(goals, core) {
	const valueOf = (cell, goal) => goal < counted.length ? cell.count[goal]
		: settingNumber(cell.factor[goal - counted.length + 2]);
	const groups = Map.groupBy(cells.filter(cell => core === "" || cell.factor[1] === core),
		cell => cell.factor.slice(1).join("\n"));
	const sums = [...groups].map(([key, of]) => {
		const good = of.filter(cell => goals.every(goal => valueOf(cell, goal) !== null));
		return [key.split("\n"), ...goals.map(goal => goal < counted.length
			? good.reduce((sum, cell) => sum + cell.count[goal], 0) : valueOf(of[0], goal)),
		good.length];
	});
	const most = Math.max(0, ...sums.map(([, , , n]) => n));

	return sums.filter(([, x, y, n]) => n === most && n && !Number.isNaN(x + y));
}

function pareto(goals, names, core) {
	const found = designs(goals, core);
	const front = found.filter(([, x, y]) => !found.some(([, a, b]) =>
		a <= x && b <= y && (a < x || b < y))).sort((a, b) => a[1] - b[1]);
	const [xs, ys] = [1, 2].map(i => found.map(design => design[i]));
	const scale = (v, of) => (v - Math.min(...of)) / (Math.max(...of) - Math.min(...of) || 1);
	const place = ([, x, y]) => [1000 * scale(x, xs), 100 - 100 * scale(y, ys)];
	const svg = svgOf("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none", role: "img",
		"aria-label": `${names[1]} by ${names[0]}` });
	const textOf = ([of]) => [of[0], ...of.slice(1).map((value, i) => value === "-" ? ""
		: `${factors[i + 2]}=${value}`)].filter(text => text).join(" ");

	svg.append(svgOf("path", { d: front.map((design, i) => (i ? "L" : "M") +
		place(design).join(" ")).join("") }));
	for (const design of found) {
		const point = svgOf("path", { class: front.includes(design) ? "point change less" : "point",
			d: `M${place(design).join(" ")}h0` }), title = svgOf("title", {});
		title.textContent = `${textOf(design)}\n${names.map((name, i) =>
			`${name} ${numberText(Math.round(design[i + 1]))}`).join("\n")}`;
		point.append(title);
		svg.append(point);
	}
	return [make("figure", "", make("div", "plot front", make("span", "top",
		`${names[1]}: ${shortText(Math.max(...ys))}`), svg, make("span", "left",
		`${shortText(Math.min(...ys))} at ${names[0]} ${shortText(Math.min(...xs))}`),
	make("span", "right", shortText(Math.max(...xs))))),
	make("p", "note", `${front.length} of ${found.length} cores and settings: each other one is ` +
		"worse than one of these in some goal and better in none. Counts are sums of all programs."),
	tableOf([...names.map(name => `#${name}`), "Core and settings"], front.map(design =>
		rowOf(...[1, 2].map(i => numberText(Math.round(design[i]))),
			make("td", "name", textOf(design)))))];
}

function labelled(label, options, chosen) {
	const choice = choiceOf("", label, ...options);

	choice.value = chosen;
	return { choice, element: make("label", "", `${label} `, choice) };
}

// Lets the reader choose the event, the core and the axes, and keeps them in the address of the
// page.
function startSweep(map) {
	const section = map.closest("section"), state = new URLSearchParams(location.hash.slice(1));
	const numbered = names => names.map((name, i) => [name, i]);

	readCells(one("#results"));
	const cores = [...new Set(cells.map(cell => cell.factor[1]))];
	const goals = numbered([...counted, ...factors.slice(2)]);
	const other = goals.length > counted.length ? counted.length : goals.length - 1;
	const event = counted.indexOf(section.dataset.event);
	const choices = {
		event: labelled("Event", numbered(counted), event),
		core: labelled("Core", [["all", ""], ...cores.map(core => [core, core])], ""),
		across: labelled("Across", numbered(factors), factors.indexOf(section.dataset.across)),
		down: labelled("Down", numbered(factors), factors.indexOf(section.dataset.down)),
		x: labelled("Goals", goals, event),
		y: labelled("and", goals, other),
	};
	const [shares, front] = ["#sensitivity", "#pareto"].map(id => make("section", id));

	function show() {
		const of = name => Number(choices[name].choice.value), core = choices.core.choice.value;
		const parts = relativeCells(of("event"), core), goal = [of("x"), of("y")];

		one("h2", section).textContent = `${counted[of("event")]} by ${factors[of("across")]}`;
		drawMap(map, parts, of("across"), of("down"));
		shares.replaceChildren(make("h2", "", "Sensitivity ", make("small", "",
			`how much of the difference in ${counted[of("event")]} each setting explains`)),
		sensitivity(parts));
		front.replaceChildren(make("h2", "", "Pareto front"), make("div", "tools",
			choices.x.element, choices.y.element),
		...pareto(goal, goal.map(i => goals[i][0]), core));
	}

	for (const [name, { choice }] of Object.entries(choices)) {
		if ([...choice.options].some(option => option.value === state.get(name)))
			choice.value = state.get(name);
		choice.addEventListener("change", () => {
			state.set(name, choice.value);
			history.replaceState(null, "", `#${state}`);
			show();
			choice.focus();
		});
	}
	one("h2", section).after(make("div", "tools", ...["event", "core", "across", "down"].map(name =>
		choices[name].element)));
	section.after(shares, front);
	show();
}
