// SPDX-License-Identifier: MIT
// The tables of a page are complete without this script. It draws graphs, sorts and filters tables,
// and chooses the event that is shown. Names are only ever read from the document and written as
// text.
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const one = (selector, from = document) => from.querySelector(selector);
const inGroups = new Intl.NumberFormat("en-US");
const numberText = v => inGroups.format(BigInt(v || 0));
const share = (v, of) => of ? 100 * Number(v) / Number(of) : 0;
// The counts of an element, as text, because numbers are only exact up to 2^53.
const counts = (element, name = "v") =>
	(element.dataset[name] || "").split(",").map(v => v || "0");
const svgOf = (name, attributes) => {
	const made = document.createElementNS("http://www.w3.org/2000/svg", name);

	for (const [key, v] of Object.entries(attributes))
		made.setAttribute(key, v);
	return made;
};
// Makes an element with these classes, and with the ID of a word "#id".
const make = (name, words, ...content) => {
	const made = document.createElement(name);

	for (const word of words.split(" ").filter(text => text))
		if (word[0] === "#")
			made.id = word.slice(1);
		else
			made.classList.add(word);
	made.append(...content);
	return made;
};
// Gives a field or a choice a name for screen readers.
const named = (element, label, more) => {
	element.setAttribute("aria-label", label);
	return Object.assign(element, more);
};
let event = 0;

document.documentElement.classList.add("script");

// ---- tables -------------------------------------------------------------------------------------

// Numbers are compared by their digits: "1,234", "+1,234", "56.7%", "".
function key(row, column) {
	const text = row.cells[column].textContent;
	const number = parseFloat(text.replace(/[,+%]/g, "").replace("\u2212", "-"));
	return { text, number: Number.isNaN(number) ? -Infinity : number };
}

function sort(table, column, descending) {
	const number = table.tHead.rows[0].cells[column].classList.contains("n");
	const body = table.tBodies[0];
	const rows = [...body.rows].map((row, i) => ({ row, i, k: key(row, column) }));

	rows.sort((a, b) => {
		const rest = a.row.classList.contains("rest") - b.row.classList.contains("rest");
		const order = number ? (a.k.number > b.k.number) - (a.k.number < b.k.number)
			: (a.k.text > b.k.text) - (a.k.text < b.k.text);
		return rest || (descending ? -order : order) || a.i - b.i;
	});
	body.append(...rows.map(r => r.row));
	limitRows(table);
	for (const head of table.tHead.rows[0].cells)
		head.removeAttribute("aria-sort");
	table.tHead.rows[0].cells[column].setAttribute("aria-sort",
		descending ? "descending" : "ascending");
}

// To lay out thousands of rows takes longer than everything else on the page. So a long table shows
// only its first rows, and more of them when it is scrolled to the end.
const ROWS = 100;

function limitRows(table, most = ROWS) {
	let shown = 0;

	if (!table.classList.contains("long"))
		return;
	for (const row of table.tBodies[0].rows)
		row.classList.toggle("later", !row.hidden && ++shown > most);
}

function startSorting(table) {
	for (const head of table.tHead.rows[0].cells) {
		if (head.hasAttribute("data-plain"))
			continue;
		const button = document.createElement("button");
		button.type = "button";
		button.append(...head.childNodes);
		head.append(button);
		button.addEventListener("click", () => {
			all(".topic", table).forEach(row => row.remove());
			const now = head.getAttribute("aria-sort");
			sort(table, head.cellIndex, now ? now === "ascending"
				: head.classList.contains("n"));
		});
	}
}

// A field above the table that filters its rows.
function startFilter(table) {
	const rows = [...table.tBodies[0].rows], hint = table.dataset.filter, told = make("output", "");
	const input = named(make("input", "filter"), hint, { type: "search", placeholder: hint });
	const scroll = table.parentElement;
	let names = null;

	input.dataset.table = table.id;
	scroll.before(make("div", "tools", input, told));
	scroll.addEventListener("scroll", () => {
		if (one(".later", table) && scroll.scrollTop + 2 * scroll.clientHeight > scroll.scrollHeight)
			limitRows(table, rows.length - all(".later, [hidden]", table).length + 2 * ROWS);
	});
	input.addEventListener("input", () => {
		const wanted = input.value.trim().toLowerCase();
		let shown = 0;
		names ||= rows.map(row => all("[title]", row).map(cell => cell.title)
			.concat(row.textContent).join("\n").toLowerCase());
		rows.forEach((row, i) => {
			row.hidden = !names[i].includes(wanted);
			shown += !row.hidden;
		});
		limitRows(table);
		told.textContent = wanted === "" ? "" : `${shown} of ${rows.length}`;
	});
}

// What the labels of trust mean.
const TRUST = { exact: "defined by the instruction stream", measured: "counted by hardware",
	modelled: "depends on the parameters of the core", scaled: "time-shared between events",
	sampled: "estimated from samples", wrapped: "a lower bound: a counter wrapped",
	partial: "a lower bound: a part was not counted", inexact: "may be slightly wrong" };

// ---- topics -------------------------------------------------------------------------------------

// The topics of events. An event belongs to the first topic whose pattern fits its name.
const TOPICS = [
	["Translation of addresses", /tlb|walk|mmu|ttbr/],
	["Caches", /cache|(^|_)[ld]?l[1-3]|refill|linefill|evict|wbuf|prefetch|(d[rw]|ir)(hit|req)/],
	["Branches", /branch|(^|_)br_|pred|pc_write|pc_change|ret_stack|proc_|btc|jal/],
	["Exceptions", /exc|irq|fiq|interrupt|abort|abt|fault|trap/],
	["Buses and memory", /bus|axi|mem_|memory|snoop|remote|burst|^ct_|interface|layer|latency|tcm/],
	["Cycles and stalls", /cycle|stall|clock|interlock|clk|wait|overhead|_align_lat|sleep/],
	["Instructions", /inst|insn|retired|spec|_op$|exec|load|store|ldst|neon|fp_|op_/],
];
const MANY = 12; // shorter lists need no topics

// Puts the items of a long list below headings, which headingOf() makes.
function groupByTopic(list, items, nameOf, headingOf) {
	const topicOf = item => (TOPICS.find(([, names]) => names.test(nameOf(item).toLowerCase())) ||
		["Other"])[0];
	const groups = new Map(["Cycles and stalls", "Instructions", ...TOPICS.map(([name]) => name),
		"Other"].map(name => [name, []]));

	for (const item of items)
		groups.get(topicOf(item)).push(item);
	if (items.length > MANY)
		for (const [name, members] of groups)
			if (members.length)
				list.append(headingOf(name), ...members);
}

function startTopics() {
	for (const table of all("table.totals"))
		groupByTopic(table.tBodies[0], [...table.tBodies[0].rows],
			row => row.cells[0].textContent, name => {
				const cell = make("th", "", name), row = make("tr", "topic", cell);
				cell.colSpan = table.tHead.rows[0].cells.length;
				return row;
			});
	for (const list of all(".without ul"))
		groupByTopic(list, [...list.children], item => one("b", item).textContent,
			name => make("li", "topic", name));
}

// ---- the event that is shown --------------------------------------------------------------------

const eventName = () => calls.events[event];

function fillCount(cell, v) {
	const bar = cell.nextElementSibling, of = share(v, total());

	cell.textContent = v === "0" ? "" : numberText(v);
	bar.style.setProperty("--p", `${of.toFixed(2)}%`);
	bar.textContent = v === "0" ? "" : `${of.toFixed(1)}%`;
}

function fillFunctions() {
	const table = one("#functions");

	for (const row of table.tBodies[0].rows) {
		fillCount(one(".self", row), counts(row)[event] || "0");
		if (one(".incl", row))
			fillCount(one(".incl", row), counts(row, "i")[event] || "0");
	}
	for (const head of table.tHead.rows[0].cells)
		if (head.hasAttribute("aria-sort"))
			sort(table, head.cellIndex, head.getAttribute("aria-sort") === "descending");
}

// ---- listings -----------------------------------------------------------------------------------

// The markup of each listing, which the browser has read as text, and the rows in it that have
// counts.
const listings = new Map();

function startListings() {
	for (const place of all(".place")) {
		const markup = one("noscript", place).textContent;
		const rows = [...markup.matchAll(/<tr id="([^"]*)" data-v="([^"]*)"/g)].map(
			({ 1: id, 2: v, index }) => ({ place, id, of: v.split(","), index }));

		listings.set(place, { markup, rows });
		place.addEventListener("toggle", () => place.open && makeListing(place));
	}
	fillListings();
	all(".place[open]").forEach(makeListing);
}

// Makes the table of a listing, if it was not made before.
function makeListing(place) {
	const unmade = one("noscript", place);

	if (!unmade)
		return;
	unmade.outerHTML = listings.get(place).markup;
	fillListing(place);
	startLines(place);
	if (!("lines" in place.dataset))
		drawArrows(place);
}

function fillListing(place) {
	for (const name of all(".event", place))
		name.textContent = eventName();
	for (const row of all(".code tr[data-v]", place)) {
		const v = counts(row)[event] || "0", of = share(v, total());

		row.style.setProperty("--h", (Number(v) / most).toFixed(3));
		one(".v", row).textContent = v === "0" ? "" : numberText(v);
		one(".p", row).textContent = of >= .05 ? `${of.toFixed(1)}%` : "";
	}
}

let most = 1; // the highest count of a row

function fillListings() {
	const rows = [...listings.values()].flatMap(listing => listing.rows);

	for (const row of rows)
		row.v = Number(row.of[event] || 0);
	rows.sort((a, b) => b.v - a.v);
	most = rows.length && rows[0].v || 1;
	one("#hottest tbody").replaceChildren(
		...rows.slice(0, 10).filter(({ v }) => v).map(hottestRow));
	for (const place of listings.keys()) {
		fillListing(place);
		one("summary .n", place).textContent =
			`${share(counts(place)[event] || 0, total()).toFixed(1)}%`;
	}
}

function hottestRow({ place, id, of, index }) {
	const made = make("template", ""), [markup] = listings.get(place).markup.slice(index + 1)
		.split("<tr", 1);
	const name = one("summary b", place).title, link = make("a", "");

	made.innerHTML = `<${markup}`;
	const at = one(".at", made.content).textContent;
	link.textContent = "lines" in place.dataset ? `${baseName(name)}:${at}` : `${name} ${at}`;
	link.href = `#${id}`;
	return make("tr", "", make("td", "n", numberText(of[event])),
		make("td", "n", `${share(of[event], total()).toFixed(1)}%`), make("td", "name", link),
		make("td", "text", one(".text", made.content).textContent.trim()));
}

// The row of an instruction of a line: like that of the line, with its own numbers.
function insnRow(line, [address, v, text]) {
	const row = line.cloneNode(true), heads = line.closest("table").tHead.rows[0].cells;
	const put = (cell, n) => { cell.textContent = n === "0" ? "" : numberText(n); };

	row.removeAttribute("id");
	row.className = "insn";
	row.dataset.v = v;
	// The first heading is above two columns.
	for (const cell of all(".x", row))
		put(cell, counts(row)[calls.events.indexOf(heads[cell.cellIndex - 1].textContent)] || "0");
	one(".at", row).textContent = address;
	one(".text", row).textContent = text;
	return row;
}

// The number of a line shows and hides its instructions.
function startLines(place) {
	for (const line of all("tr[data-code]", place)) {
		const at = one(".at", line), button = make("button", "", at.textContent);
		let shown = [];

		button.setAttribute("aria-expanded", false);
		button.title = "Instructions of this line";
		at.replaceChildren(button);
		button.addEventListener("click", () => {
			shown.forEach(row => row.remove());
			shown = shown.length ? [] : line.dataset.code.split("\n").map(
				insn => insnRow(line, insn.split("\t")));
			line.after(...shown);
			fillListing(place);
			button.setAttribute("aria-expanded", shown.length > 0);
		});
	}
}

function startHottest() {
	const shown = make("th", "n", make("span", "event", eventName()));
	const table = make("table", "code", make("thead", "", make("tr", "", shown,
		make("th", "", "where"), make("th", "", "hottest lines"))), make("tbody", ""));

	shown.colSpan = 2;
	table.id = "hottest";
	one("#source h2").after(make("div", "scroll fit", table));
	startListings();
}

function choose(i) {
	event = i;
	for (const name of all(".event"))
		name.textContent = eventName();
	redraw();
	if (one("#functions")) {
		fillFunctions();
		fillListings();
	}
	for (const details of all("#events > details"))
		details.open = details.dataset.event === `${event}`;
	if (!view)
		tell(nodeAt[zoomed]);
}
