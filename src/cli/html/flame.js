// SPDX-License-Identifier: MIT
// ---- flame graph --------------------------------------------------------------------------------

// The calls of a recording, as flame.c describes them.
const flame = svgOf("svg", { id: "flame", width: "100%", role: "tree",
	"aria-label": "Flame graph" });
const calls = one("#calls-data") && JSON.parse(one("#calls-data").textContent);
const frameOf = new Map();
// Pixels: the height of a row, the least width of a frame that is drawn, the width of a character.
const ROW = 18, LEAST = .3, CHARACTER = 7;
const COLOURS = 6, SEEN = 5; // SEEN: objects with at least this percentage get a colour

// What is shown. view: "": callers above the functions that they call. "inverted": functions above
// their callers, by what they count themselves. "both": all callers of one function above it, and
// all that it calls below it, wherever it is called. order: "": the widest first, "time": the first
// called first. thread: the number of the thread's frame; "": all threads. side: in a comparison,
// the side whose count is the width of a box: "": the new side, "base": the base side.
let view = "", order = "", thread = "", side = "", shownFunction = "", zoomed = 0;
let stored = null; // the address of this state
let tree = null; // the root of the calls, with the counts of the event and the thread
let nodeAt = []; // the node of each number in the data; null: of another thread
const boxes = new Map(); // the node of each box

const compares = calls && calls.compares;
const total = () => calls.nodes[0][2].split(",")[event] || "0";
const baseName = path => path.slice(path.lastIndexOf("/") + 1);

function startFrames() {
	for (const [number, name, shade, inlined, object, file, line] of calls.frames) {
		frameOf.set(number, { name, shade, inlined, object, file,
			place: compares ? shade : file === null ? calls.objects[object] || ""
				: calls.files[file] + (line ? `:${line}` : "") });
	}
	if (compares)
		one("#calls .keys").append(make("span", "key more", "more than the base"),
			make("span", "key less", "less"), make("output", "#fullest"));
	else
		chooseColours();
}

// Colours distinguish the heaviest objects, or files if there is only one object.
function chooseColours() {
	const count = i => Number(calls.nodes[i][2].split(",")[0] || 0), all = count(0) || 1;
	const self = calls.nodes.map((_, i) => count(i)), owner = [];
	const weights = { object: new Map(), file: new Map() };

	calls.nodes.forEach(([parent, frame], i) => {
		const f = frameOf.get(frame);

		owner[i] = f && f.inlined ? owner[parent] : f;
		if (i)
			self[parent] -= count(i);
	});
	owner.forEach((f, i) => {
		for (const [kind, weight] of Object.entries(weights))
			if (f && typeof f[kind] === "number")
				weight.set(f[kind], (weight.get(f[kind]) || 0) + self[i]);
	});
	const seen = [...weights.object.values()].filter(w => 100 * w / all >= SEEN).length;
	const kind = seen < 2 && weights.file.size ? "file" : "object", paths = calls[`${kind}s`];
	const heaviest = [...weights[kind]].filter(([, w]) => w > 0)
		.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, COLOURS).map(([group]) => group);

	for (const f of frameOf.values())
		f.colour = (heaviest.indexOf(f[kind]) + COLOURS + 1) % (COLOURS + 1);
	one("#calls .keys").append(kind === "file" ? "Files: " : "Objects: ",
		...heaviest.map((group, i) => {
			const key = make("span", `key c${i}`, baseName(paths[group]));
			key.title = paths[group];
			return key;
		}), make("span", `key c${COLOURS}`, kind === "file" ? "others, and unknown" : "others"));
}

// ---- trees --------------------------------------------------------------------------------------

// v: the count that determines the width; other: in a comparison, the count of the other side.
const newNode = (name, kind, parent, more = {}) =>
	({ name, kind, parent, v: 0n, other: 0n, below: new Map(), place: "", ...more });

function addCounts(to, { v, other }) {
	to.v += v;
	to.other += other;
}

// Returns the child with this key, and makes it if there is none.
function nodeBelow(parent, key, ...more) {
	if (!parent.below.has(key))
		parent.below.set(key, newNode(key, more[0], parent, more[1]));
	return parent.below.get(key);
}

// Colour, shade and style. Inlined code has the colour of the function around it.
function kindOf(f, parent) {
	if (compares)
		return `c${COLOURS}`;
	const colour = f.inlined ? parent.kind.slice(0, 2) : `c${f.colour}`;

	return `${colour} s${f.shade}${f.inlined ? " inlined" : ""}`;
}

// A negative frame stands for that many smaller ones; frames without a name are threads.
function childOf(parent, frame, i) {
	const f = frameOf.get(frame);

	if (!parent || (f && f.name === null && thread !== "" && Number(thread) !== frame))
		return null;
	if (f && f.name === null)
		return parent;
	if (f)
		return nodeBelow(parent, f.name, kindOf(f, parent), { place: f.place, i });
	const node = nodeBelow(parent, "", `c${COLOURS} merged`, { merged: 0, i });
	node.merged -= frame;
	node.name = `(${node.merged} smaller)`;
	return node;
}

function buildTree() {
	tree = newNode("all", kindOf({ colour: COLOURS, shade: calls.shade }), null, { i: 0 });
	nodeAt = [];
	calls.nodes.forEach(([parent, frame, counts], i) => {
		const node = i ? childOf(nodeAt[parent], frame, i) : tree;

		nodeAt.push(node);
		// The root has the counts of node 0, or those of the chosen thread.
		if (node && (node !== tree || (i ? thread !== "" : thread === ""))) {
			const of = counts.split(","), base = event + calls.events.length;
			const [v, other] = side === "" ? [of[event], of[base]] : [of[base], of[event]];
			addCounts(node, { v: BigInt(v || 0), other: BigInt(other || 0) });
		}
	});
}

function* nodesOf(node) {
	yield node;
	for (const child of node.below.values())
		yield* nodesOf(child);
}

function selfOf(node) {
	const self = { v: node.v, other: node.other };

	for (const child of node.below.values())
		addCounts(self, { v: -child.v, other: -child.other });
	return self;
}

// Adds a node and its callers below each other, up to the root.
function addCallers(root, node, counted) {
	addCounts(root, counted);
	for (let at = root; node.parent; node = node.parent) {
		at = nodeBelow(at, node.name, node.kind, { place: node.place });
		addCounts(at, counted);
	}
}

function addCallees(to, node) {
	addCounts(to, node);
	for (const child of node.below.values())
		addCallees(nodeBelow(to, child.name, child.kind, { place: child.place }), child);
}

// Returns the nodes of a function that are not below another node of this function.
function outermost(name, node = tree) {
	return [...node.below.values()].flatMap(child =>
		child.name === name && !child.merged ? [child] : outermost(name, child));
}

// Returns the trees to draw: one, or for "both" the callees and the callers.
function viewed() {
	if (view === "")
		return [tree];
	if (view === "inverted") {
		const root = newNode("all", `c${COLOURS}`, null);
		for (const node of nodesOf(tree)) {
			const self = selfOf(node);
			if (node.parent && (self.v || self.other))
				addCallers(root, node, self);
		}
		Object.assign(root, { v: tree.v, other: tree.other });
		return [root];
	}
	const found = outermost(shownFunction), { kind, place } = found[0];
	const [callees, callers] = [0, 0].map(() => newNode(shownFunction, kind, null, { place }));
	for (const node of found) {
		addCallers(callers, node.parent, node);
		addCallees(callees, node);
	}
	return [callees, callers];
}

// ---- boxes --------------------------------------------------------------------------------------

const growthOf = ({ v, other }) => side === "" ? v - other : other - v;
const signedText = v => `${v > 0 ? "+" : ""}${numberText(v)}`;

// The change in percent of the base.
function percentOf(node) {
	const base = side === "" ? node.other : node.v, change = growthOf(node);

	return !change ? "" : !base ? "new" : change === -base ? "gone"
		: `${change > 0 ? "+" : ""}${share(change, base).toFixed(1)}%`;
}

function describe(node) {
	const self = selfOf(node);

	if (!compares)
		return `${numberText(node.v)} ${eventName()}, ${share(node.v, tree.v).toFixed(2)}%; ` +
			`self ${numberText(self.v)}, ${share(self.v, tree.v).toFixed(2)}%`;
	const [fresh, base] = side === "" ? [node.v, node.other] : [node.other, node.v];
	return `${numberText(fresh)} ${eventName()}, base ${numberText(base)}; ` +
		`${signedText(growthOf(node))} ${percentOf(node)}, self ${signedText(growthOf(self))}`;
}

// Text of at most so many characters. The middle is left out, because names often differ at the
// end.
function shortened(text, most) {
	const begin = Math.ceil((most - 1) / 2);

	return text.length <= most ? text : most < 5 ? ""
		: `${text.slice(0, begin)}\u2026${text.slice(begin + 1 - most)}`;
}

// The name, and the change if there is room for it.
function labelOf(node, change, most) {
	const percent = change ? ` ${percentOf(node)}` : "", rest = most - percent.length;

	return rest < Math.min(node.name.length, 5) ? shortened(node.name, most)
		: shortened(node.name, rest) + percent;
}

const emptyBox = svgOf("svg", { height: ROW - 1, role: "treeitem" });
emptyBox.append(svgOf("rect", { width: "100%", height: "100%" }));

function boxOf(node, { x, w, depth, above }, y, width) {
	const box = emptyBox.cloneNode(true), change = compares ? Number(growthOf(node)) : 0;
	const pixels = w * width / 100;
	const label = labelOf(node, change, Math.floor((pixels - 6) / CHARACTER));

	for (const [name, text] of Object.entries({ class: `f ${node.kind}${above ? " above" : ""}` +
		`${node.hit ? " hit" : ""}${pixels < 4 ? " thin" : ""}`,
		x: `${x.toFixed(4)}%`, y: y * ROW, width: `${w.toFixed(4)}%`, "aria-level": depth + 1,
		tabindex: depth ? -1 : 0, "data-p": node.parent ? node.parent.number : 0,
		"aria-label": `${node.name}\n${describe(node)}\n${node.place}` }))
		box.setAttribute(name, text);
	if (change) {
		box.classList.add(change > 0 ? "more" : "less");
		box.style.setProperty("--d", Math.abs(change) / fullest);
	}
	if (label) {
		box.append(svgOf("text", { x: 4, y: 12.5 }));
		box.lastElementChild.textContent = label;
	}
	node.box = box;
	boxes.set(box, node);
	return box;
}

// Draws the tree downwards, or upwards with its root at the bottom. The zoomed node has the whole
// width, and its callers above it.
function drawTree(svg, root, up = false, top = root) {
	const width = drawnWidth || 1000, least = 100 * LEAST / width;
	const found = [], callers = [];
	let deepest = 0;

	function visit(node, depth, x, w, above) {
		const below = [...node.below.values()].filter(child => child.v);

		node.number = found.length;
		node.up = up;
		node.shown = [];
		found.push([node, { x, w, depth, above }]);
		deepest = Math.max(deepest, depth);
		if (above) {
			node.shown = [callers[depth + 1]];
			visit(callers[depth + 1], depth + 1, 0, 100, callers[depth + 1] !== top);
			return;
		}
		if (!order)
			below.sort((a, b) => !!a.merged - !!b.merged || (a.v < b.v) - (a.v > b.v));
		for (const child of below) {
			const part = share(child.v, node.v) * w / 100;

			if (part >= least) {
				node.shown.push(child);
				visit(child, depth + 1, x, part, false);
			}
			x += part;
		}
	}
	for (let node = top; node; node = node.parent)
		callers.unshift(node);
	visit(root, 0, 0, 100, top !== root);
	svg.setAttribute("height", (deepest + 1) * ROW);
	svg.replaceChildren(...found.map(([node, at]) =>
		boxOf(node, at, up ? deepest - at.depth : at.depth, width)));
}

let drawn = [], drawnWidth = 0;
let fullest = 1; // the change that has the fullest colour

function draw() {
	const top = nodeAt[zoomed] || tree, focused = boxes.get(document.activeElement);

	drawnWidth = flame.clientWidth;
	drawn = viewed();
	if (compares) {
		fullest = drawn.flatMap(root => [...nodesOf(root)]).reduce(
			(most, node) => Math.max(most, Math.abs(Number(growthOf(node)))), 1);
		one("#fullest").textContent = `fullest colour: ${numberText(Math.round(fullest))}`;
	}
	boxes.clear();
	markHits();
	one("#upper").replaceChildren();
	one("#upper").setAttribute("height", 0);
	if (drawn[1])
		drawTree(one("#upper"), drawn[1], true);
	drawTree(flame, drawn[0], false, view === "" ? top : drawn[0]);
	if (focused && boxes.has(focused.box))
		focusOn(focused);
	for (const [name, shown] of Object.entries({ view: view === "both" ? "" : view, order, thread,
		side }))
		if (one(`#${name}`))
			one(`#${name}`).value = shown;
	one("#both").setAttribute("aria-pressed", view === "both");
	one("#reset").disabled = !zoomed && view === "";
	one("#both").disabled = view !== "both" && (top === tree || "merged" in top);
	if (view === "inverted")
		one("#hint").textContent = "Functions by what they count themselves, above their callers";
	else if (view === "both")
		one("#hint").textContent = `${shownFunction}: callers above, callees below; ` +
			`${numberText(drawn[0].v)} ${eventName()}, ${share(drawn[0].v, tree.v).toFixed(2)}%`;
}

// Builds the tree of another event or thread.
function redraw() {
	buildTree();
	if (view === "both" && !outermost(shownFunction).length)
		view = "";
	if (!nodeAt[zoomed])
		zoomed = 0;
	draw();
	tellHits();
}

// ---- what a reader does -------------------------------------------------------------------------

function show(to, name = "") {
	view = to;
	shownFunction = name;
	draw();
	if (name) {
		const graphs = one("#graphs");
		graphs.scrollIntoView({ block: "nearest" });
		graphs.scrollTop = one("#upper").clientHeight - graphs.clientHeight / 2;
	}
	store();
}

function zoom(i) {
	zoomed = i;
	show("");
	tell(nodeAt[i]);
}

// The state of the graph is in the address, so that links and the Back button restore it. Other
// fragments are places on the page.
function store() {
	const state = new URLSearchParams({ at: zoomed });
	const more = { view, of: view === "both" ? shownFunction : "", order, thread, side,
		event: event ? eventName() : "", find: one("#find").value };

	for (const [name, text] of Object.entries(more))
		if (text)
			state.set(name, text);
	stored = `#${state}`;
	if (stored !== location.hash && (stored !== "#at=0" || location.hash))
		location.hash = stored;
}

function restore() {
	const state = new URLSearchParams(location.hash.slice(1));
	const number = Number(state.get("thread"));

	if (location.hash === stored || (location.hash && !state.has("at")))
		return;
	stored = location.hash;
	one("#find").value = state.get("find") || "";
	order = state.get("order") === "time" ? "time" : "";
	thread = frameOf.has(number) && frameOf.get(number).name === null ? `${number}` : "";
	side = state.get("side") === "base" ? "base" : "";
	zoomed = Number(state.get("at"));
	shownFunction = state.get("of") || "";
	view = ["inverted", "both"].find(name => name === state.get("view")) || "";
	one("#event").selectedIndex = Math.max(0, calls.events.indexOf(state.get("event")));
	if (one("#event").selectedIndex !== event)
		choose(one("#event").selectedIndex);
	else
		redraw();
	if (location.hash && !view)
		tell(nodeAt[zoomed]);
}

// The name and the numbers of a frame, next to the pointer.
function point(text, e) {
	const tip = one("#tip");

	tip.hidden = !text;
	if (!text)
		return;
	tip.textContent = text;
	tip.style.left = `${Math.max(0, Math.min(e.clientX + 12, innerWidth - tip.offsetWidth - 4))}px`;
	tip.style.top = `${e.clientY + 20 + tip.offsetHeight < innerHeight ? e.clientY + 16
		: e.clientY - tip.offsetHeight - 8}px`;
}

function tell(node) {
	one("#hint").textContent =
		`${node.name}: ${describe(node)}${node.place ? ` \u00b7 ${node.place}` : ""}`;
}

function focusOn(node) {
	if (!node)
		return;
	all('.f[tabindex="0"]', node.box.parentElement).forEach(box => box.setAttribute("tabindex", -1));
	node.box.setAttribute("tabindex", 0);
	node.box.focus();
}

// Marks the nodes whose name has the text. If a hit is below another hit, its counts are included
// in those of the other hit.
function markHits() {
	const wanted = one("#find").value.trim().toLowerCase();
	const told = { hits: 0, sum: 0n, wanted };

	function visit(node, within) {
		node.hit = wanted !== "" && !("merged" in node) && node.i !== 0 &&
			node.name.toLowerCase().includes(wanted);
		told.hits += node.hit;
		if (node.hit && !within)
			told.sum += node.v;
		for (const child of node.below.values())
			visit(child, within || node.hit);
	}
	for (const root of drawn)
		visit(root, false);
	return told;
}

function tellHits() {
	const { hits, sum, wanted } = markHits();

	one("#graphs").classList.toggle("searched", wanted !== "");
	for (const [box, node] of boxes)
		box.classList.toggle("hit", node.hit);
	one("#found").textContent = wanted === "" ? ""
		: hits ? `${hits} frame${hits > 1 ? "s" : ""}, ${share(sum, tree.v).toFixed(1)}%`
		: "not found";
}

function showBoth(name) {
	if (outermost(name).length)
		show("both", name);
}

function press(node) {
	if (view !== "")
		return showBoth(node.name);
	zoom(node.i);
	focusOn(nodeAt[node.i]);
}

function onFrameKey(e) {
	const node = boxes.get(e.target), around = node && node.parent ? node.parent.shown : [node];
	const down = () => focusOn(node.shown[0]), up = () => focusOn(node.parent);
	const moves = {
		Enter: () => press(node),
		" ": () => press(node),
		c: () => showBoth(node.name),
		ArrowUp: () => node.up ? down() : up(),
		ArrowDown: () => node.up ? up() : down(),
		ArrowLeft: () => focusOn(around[around.indexOf(node) - 1]),
		ArrowRight: () => focusOn(around[around.indexOf(node) + 1]),
		Home: () => focusOn(drawn[0]),
	};

	if (!node || !moves[e.key] || e.ctrlKey || e.metaKey || e.altKey)
		return;
	e.preventDefault();
	moves[e.key]();
}

function onKey(e) {
	const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);

	if (e.key === "/" && !typing && !e.ctrlKey && !e.metaKey) {
		e.preventDefault();
		one("#find").focus();
	} else if (e.key === "Escape" && e.target === one("#find") && e.target.value) {
		e.target.value = "";
		tellHits();
	} else if (e.key === "Escape") {
		zoom(0);
	}
}

function choiceOf(id, label, ...options) {
	return named(make("select", id, ...options.map(option => new Option(...option))), label);
}

// Makes the controls around the graph.
function makeGraph() {
	const threads = calls.frames.filter(([, name]) => name === null);
	const find = named(make("input", "#find"), "Search functions", { type: "search",
		placeholder: "Search functions  /" });
	const hint = make("p", "hint #hint", "Click or Enter zooms, c shows callers and callees, " +
		"Escape resets, arrow keys move, / searches.");
	const upper = svgOf("svg", { id: "upper", width: "100%", height: 0, role: "tree",
		"aria-label": "Callers" });

	hint.setAttribute("aria-live", "polite");
	document.body.append(Object.assign(make("div", "#tip"), { hidden: true }));
	one("nav").append(make("label", "choice", "Event ", choiceOf("#event", "Event",
		...calls.events.map((name, i) => [name, i]))));
	one("#calls h2").after(make("div", "tools", find,
		choiceOf("#view", "Direction", ["Callers first", ""],
			["Inverted: callees first", "inverted"]),
		choiceOf("#order", "Order", ["Widest first", ""], ["First called first", "time"]),
		threads.length ? choiceOf("#thread", "Thread", ["All threads", ""],
			...threads.map(([number, , label]) => [label, number])) : "",
		compares ? choiceOf("#side", "Width", ["Width: new side", ""],
			["Width: base side", "base"]) : "",
		make("button", "#both", "Callers and callees"), make("button", "#reset", "Reset zoom"),
		make("output", "#found")), make("div", "scroll #graphs", upper, flame), hint,
	make("p", "keys"));
}

// Starts the choices after which the graph is built again.
function startChoices() {
	one("#event").addEventListener("change", e => {
		choose(Number(e.target.value));
		store();
	});
	one("#view").addEventListener("change", e => show(e.target.value));
	one("#order").addEventListener("change", e => {
		order = e.target.value;
		draw();
		store();
	});
	all("#thread, #side").forEach(choice => choice.addEventListener("change", () => {
		thread = one("#thread") ? one("#thread").value : "";
		side = one("#side") ? one("#side").value : "";
		redraw();
		store();
	}));
	one("#both").addEventListener("click", () =>
		show(...(view === "both" ? [""] : ["both", nodeAt[zoomed].name])));
	one("#reset").addEventListener("click", () => zoom(0));
	one("#find").addEventListener("input", tellHits);
	one("#find").addEventListener("change", store);
}

function startFlame() {
	const at = e => boxes.get(e.target.closest(".f"));

	makeGraph();
	startFrames();
	startChoices();
	const graphs = one("#graphs");
	graphs.addEventListener("click", e => at(e) && press(at(e)));
	graphs.addEventListener("keydown", onFrameKey);
	// A click on a row of the table shows the callers and callees of its function.
	all("#functions tbody").forEach(body => body.addEventListener("click", e =>
		!e.target.closest("a") && showBoth(one("th", e.target.closest("tr")).title)));
	graphs.addEventListener("pointermove", e => point(at(e) &&
		`${at(e).name}\n${describe(at(e)).replace("; ", "\n")}`, e));
	graphs.addEventListener("pointerleave", () => point());
	for (const name of ["mouseover", "focusin"])
		graphs.addEventListener(name, e => view === "" && at(e) && tell(at(e)));
	addEventListener("hashchange", restore);
	document.addEventListener("keydown", onKey);
	// A change of up to 20 pixels comes from a scroll bar, and is not worth drawing again.
	new ResizeObserver(() => {
		if (Math.abs(drawnWidth - flame.clientWidth) > 20)
			draw();
	}).observe(flame);
	restore();
	if (!tree)
		redraw();
}
