// SPDX-License-Identifier: MIT
// ---- flame graph --------------------------------------------------------------------------------

const flame = one("#flame");
const frames = [];
let zoomed = 0;

function readFrames() {
	for (const [i, box] of all(".f", flame).entries()) {
		const title = one("title", box), [name, , place] = title.textContent.split("\n");

		// The script shows it at once; the browser would show it again after a second.
		box.setAttribute("aria-label", title.textContent);
		title.remove();
		frames.push({ i, box, name, place, v: counts(box), parent: Number(box.dataset.p),
			children: [], depth: Number(box.getAttribute("aria-level")),
			kind: [...box.classList].filter(c => /^([cs]\d|inlined|merged)$/.test(c)).join(" "),
			merged: box.classList.contains("merged"), x: 0, w: 0 });
		if (i)
			frames[frames[i].parent].children.push(frames[i]);
	}
}

const value = f => Number(f.v[event] || 0);
const total = () => frames[0].v[event] || "0";

// The position of each frame, as a fraction of the width.
function layOut() {
	const all = value(frames[0]) || 1;

	for (const f of frames) {
		f.w = value(f) / all;
		f.next = f.x;
		if (!f.i)
			continue;
		const parent = frames[f.parent];
		f.x = f.next = parent.next;
		parent.next += f.w;
	}
}

function selfOf(f) {
	let self = BigInt(f.v[event] || 0);

	for (const child of f.merged ? [] : f.children)
		self -= BigInt(child.v[event] || 0);
	return self;
}

function describe(f) {
	return `${numberText(f.v[event])} ${eventName()}, ` +
		`${share(f.v[event] || 0, total()).toFixed(2)}%; self ${numberText(selfOf(f))}`;
}

// Show the frames below a frame over the whole width, and its callers above it.
function draw() {
	const top = frames[zoomed], width = flame.clientWidth || 1000;

	for (const f of frames) {
		let x = (f.x - top.x) / (top.w || 1), w = f.w / (top.w || 1);
		const above = f.i < zoomed && x <= 1e-9 && x + w >= 1 - 1e-9 && f.depth < top.depth;

		if (above) {
			x = 0;
			w = 1;
		}
		const inside = above || f === top || (f.i > zoomed && f.depth > top.depth &&
			x > -1e-9 && x + w < 1 + 1e-9);
		f.shown = inside && w * width >= .3;
		f.box.classList.toggle("gone", !f.shown);
		if (!f.shown)
			continue;
		f.box.setAttribute("x", `${(100 * x).toFixed(4)}%`);
		f.box.setAttribute("width", `${(100 * w).toFixed(4)}%`);
		f.box.classList.toggle("narrow", w * width < 24);
		f.box.classList.toggle("above", above);
	}
	one("#reset").disabled = !zoomed && view === "";
	one("#both").disabled = !zoomed || top.merged;
}

function zoom(i) {
	zoomed = i;
	view = "";
	showView();
	draw();
	tell(frames[i]);
	store();
}

// The state of the graph is in the address, so that links and the Back button restore it. Other
// fragments are places on the page.
function store() {
	const state = new URLSearchParams({ at: zoomed });

	if (view)
		state.set("view", view);
	if (view === "both")
		state.set("of", shownFunction);
	if (event)
		state.set("event", eventName());
	if (one("#find").value)
		state.set("find", one("#find").value);
	if (`${state}` !== location.hash.slice(1) && (`${state}` !== "at=0" || location.hash))
		location.hash = state;
}

function restore() {
	const state = new URLSearchParams(location.hash.slice(1));
	const events = [...one("#event").options].map(o => o.textContent);
	const wanted = Math.max(0, events.indexOf(state.get("event")));

	if (location.hash && !state.has("at"))
		return;
	one("#find").value = state.get("find") || "";
	zoomed = frames[state.get("at")] ? Number(state.get("at")) : 0;
	shownFunction = state.get("of") || "";
	view = state.get("view") === "inverted" ? "inverted"
		: frames.some(f => f.i && f.name === shownFunction) ? "both" : "";
	showView();
	one("#event").selectedIndex = wanted;
	if (wanted !== event) {
		choose(wanted);
		return;
	}
	draw();
	find(one("#find").value);
	if (location.hash && !view)
		tell(frames[zoomed]);
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

function tell(f) {
	one("#hint").textContent = `${f.name}: ${describe(f)}${f.place ? ` \u00b7 ${f.place}` : ""}`;
}

function focusOn(f) {
	if (!f)
		return;
	all('.f[tabindex="0"]', flame).forEach(box => box.setAttribute("tabindex", "-1"));
	f.box.setAttribute("tabindex", "0");
	f.box.focus();
}

// The next visible frame next to this one.
function beside(f, step) {
	const row = f.i ? frames[f.parent].children.filter(c => c.shown) : [f];
	return row[row.indexOf(f) + step];
}

function find(text) {
	const wanted = text.trim().toLowerCase();
	let hits = 0, sum = 0n;
	const within = new Set();

	flame.classList.toggle("searched", wanted !== "");
	for (const f of frames) {
		const hit = wanted !== "" && !f.merged && f.i > 0 &&
			f.name.toLowerCase().includes(wanted);
		f.box.classList.toggle("hit", hit);
		hits += hit;
		// The counts of a hit below another hit are included in that one's.
		if (hit && !within.has(f.parent))
			sum += BigInt(f.v[event] || 0);
		if (hit || within.has(f.parent))
			within.add(f.i);
	}
	one("#found").textContent = wanted === "" ? ""
		: hits ? `${hits} frame${hits > 1 ? "s" : ""}, ${share(sum, total()).toFixed(1)}%`
		: "not found";
}

function onFrameKey(e) {
	const box = e.target.closest && e.target.closest(".f");
	const f = box && frames.find(one => one.box === box);
	const moves = {
		Enter: () => zoom(f.i),
		" ": () => zoom(f.i),
		ArrowUp: () => focusOn(f.i ? frames[f.parent] : null),
		ArrowDown: () => focusOn(f.children.find(c => c.shown)),
		ArrowLeft: () => focusOn(beside(f, -1)),
		ArrowRight: () => focusOn(beside(f, 1)),
		Home: () => focusOn(frames[0]),
	};

	if (!f || !moves[e.key] || e.ctrlKey || e.metaKey || e.altKey)
		return;
	e.preventDefault();
	moves[e.key]();
}

function startFlame() {
	const at = e => frames.find(f => f.box === e.target.closest(".f"));

	readFrames();
	layOut();
	draw();
	startViews();
	flame.addEventListener("click", e => {
		const f = at(e);
		if (f) {
			focusOn(f);
			zoom(f.i);
		}
	});
	flame.addEventListener("keydown", onFrameKey);
	const tip = document.createElement("div");
	tip.id = "tip";
	tip.hidden = true;
	document.body.append(tip);
	flame.addEventListener("pointermove", e => point(at(e) &&
		`${at(e).name}\n${describe(at(e)).replace("; ", "\n")}`, e));
	flame.addEventListener("pointerleave", () => point());
	addEventListener("hashchange", restore);
	one("#find").addEventListener("change", store);
	for (const name of ["mouseover", "focusin"])
		flame.addEventListener(name, e => at(e) && tell(at(e)));
	one("#reset").addEventListener("click", () => zoom(0));
	one("#find").addEventListener("input", e => find(e.target.value));
	let width = flame.clientWidth;
	new ResizeObserver(() => {
		if (width !== flame.clientWidth)
			draw();
		width = flame.clientWidth;
	}).observe(flame);
	document.addEventListener("keydown", e => {
		const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);

		if (e.key === "Escape") {
			if (e.target === one("#find") && e.target.value) {
				e.target.value = "";
				find("");
			} else {
				zoom(0);
			}
		} else if (e.key === "/" && !typing && !e.ctrlKey && !e.metaKey) {
			e.preventDefault();
			one("#find").focus();
		}
	});
}

// ---- other views of the flame graph -------------------------------------------------------------

// "": callers above the functions that they call. "inverted": functions above their callers, by
// what they count themselves. "both": all callers of one function above it, and all that it calls
// below it, wherever it is called.
let view = "", shownFunction = "";
const ROW = 18, LEAST = .1; // pixels; percent below which a frame is left out
const nodes = new Map();    // of each box

const newNode = (name, kind, parent) => ({ name, kind, parent, v: 0n, below: new Map() });

function nodeBelow(parent, f) {
	if (!parent.below.has(f.name))
		parent.below.set(f.name, newNode(f.name, f.kind, parent));
	return parent.below.get(f.name);
}

// Adds the frame and its callers below each other, up to the root.
function addCallers(root, f, v) {
	root.v += v;
	for (let node = root; f.i; f = frames[f.parent]) {
		node = nodeBelow(node, f);
		node.v += v;
	}
}

function addCallees(node, f) {
	node.v += BigInt(f.v[event] || 0);
	for (const child of f.children)
		addCallees(nodeBelow(node, child), child);
}

// The frames of a function that are not below another one.
function outermost(name) {
	const within = new Set();

	return frames.filter(f => {
		if (f.i && (within.has(f.parent) || f.name === name))
			within.add(f.i);
		return f.i && f.name === name && !within.has(f.parent);
	});
}

function boxOf(node, x, y, w) {
	const make = name => document.createElementNS("http://www.w3.org/2000/svg", name);
	const box = make("svg"), rect = make("rect"), text = make("text");
	const values = { class: `f ${node.kind}${w * one("#others").clientWidth < 2400
		? " narrow" : ""}`, x: `${x}%`, y, width: `${w}%`, height: ROW - 1, tabindex: -1,
		role: "treeitem", "aria-label": `${node.name}\n${numberText(node.v)} ${eventName()}, ` +
			`${share(node.v, total()).toFixed(2)}%` };

	for (const [name, value] of Object.entries(values))
		box.setAttribute(name, value);
	rect.setAttribute("width", "100%");
	rect.setAttribute("height", "100%");
	text.setAttribute("x", 4);
	text.setAttribute("y", 12.5);
	text.textContent = node.name;
	box.append(rect, text);
	node.box = box;
	nodes.set(box, node);
	return box;
}

// Draws the tree downwards, or upwards with its root at the bottom.
function drawTree(svg, root, up) {
	const found = [];
	let deepest = 0;

	function visit(node, depth, x) {
		const w = share(node.v, root.v);
		const below = [...node.below.values()].sort((a, b) => (a.v < b.v) - (a.v > b.v));

		node.up = up;
		node.shown = [];
		found.push([node, depth, x, w]);
		deepest = Math.max(deepest, depth);
		for (const child of below) {
			if (share(child.v, root.v) < LEAST)
				break;
			node.shown.push(child);
			visit(child, depth + 1, x);
			x += share(child.v, root.v);
		}
	}
	visit(root, 0, 0);
	svg.setAttribute("height", (deepest + 1) * ROW);
	svg.replaceChildren(...found.map(([node, depth, x, w]) =>
		boxOf(node, x, (up ? deepest - depth : depth) * ROW, w)));
	root.box.setAttribute("tabindex", 0);
}

function showView() {
	const others = one("#others");

	one("#view").value = view === "inverted" ? view : "";
	one("#both").setAttribute("aria-pressed", view === "both");
	flame.parentElement.hidden = view !== "";
	others.hidden = view === "";
	nodes.clear();
	if (view === "inverted") {
		const root = newNode("all", "c6");
		for (const f of frames.filter(f => f.i))
			addCallers(root, f, selfOf(f));
		root.v = BigInt(total());
		one("#upper").replaceChildren();
		one("#upper").setAttribute("height", 0);
		drawTree(one("#lower"), root, false);
		one("#hint").textContent = "Functions by what they count themselves, above their callers";
	} else if (view === "both") {
		const found = outermost(shownFunction), { kind } = found[0];
		const callers = newNode(shownFunction, kind), callees = newNode(shownFunction, kind);
		for (const f of found) {
			addCallers(callers, frames[f.parent], BigInt(f.v[event] || 0));
			addCallees(callees, f);
		}
		drawTree(one("#upper"), callers, true);
		drawTree(one("#lower"), callees, false);
		callers.box.scrollIntoView({ block: "nearest" });
		one("#hint").textContent = `${shownFunction}: callers above, callees below; ` +
			`${numberText(callees.v)} ${eventName()}, ${share(callees.v, total()).toFixed(2)}%`;
	}
}

function changeView(to, name = "") {
	view = to;
	shownFunction = name;
	showView();
	draw();
	store();
}

function onNodeKey(e) {
	const node = nodes.get(e.target), around = node && node.parent ? node.parent.shown : [node];
	const down = () => node.shown[0], up = () => node.parent;
	const to = node && { ArrowUp: node.up ? down : up, ArrowDown: node.up ? up : down,
		ArrowLeft: () => around[around.indexOf(node) - 1],
		ArrowRight: () => around[around.indexOf(node) + 1] }[e.key];

	if (to) {
		e.preventDefault();
		if (to())
			to().box.focus();
	} else if (node && e.key === "Enter" && outermost(node.name).length) {
		changeView("both", node.name);
	}
}

function startViews() {
	const others = one("#others"), at = e => nodes.get(e.target.closest(".f"));

	one("#view").addEventListener("change", e => changeView(e.target.value));
	one("#both").addEventListener("click", () =>
		changeView(...(view === "both" ? [""] : ["both", frames[zoomed].name])));
	others.addEventListener("click", e => at(e) && outermost(at(e).name).length &&
		changeView("both", at(e).name));
	others.addEventListener("keydown", onNodeKey);
	others.addEventListener("pointermove", e =>
		point(at(e) && at(e).box.getAttribute("aria-label"), e));
	others.addEventListener("pointerleave", () => point());
}
