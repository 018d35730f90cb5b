// SPDX-License-Identifier: MIT
// ---- arrows of jumps ----------------------------------------------------------------------------

const LANES = 8, LANE = 7; // arrows next to each other, and the pixels of each

// Gives each jump a lane that no other jump uses between its two rows; the shortest jumps are
// nearest to the text. Jumps for which there is no lane have only their link.
function lanesOf(jumps) {
	const used = Array.from({ length: LANES }, () => []);

	for (const jump of jumps.sort((a, b) => a.last - a.first - (b.last - b.first))) {
		jump.lane = used.findIndex(others =>
			others.every(other => other.last < jump.first || other.first > jump.last));
		if (jump.lane >= 0)
			used[jump.lane].push(jump);
	}
	return used.flat();
}

// The parts of a jump's arrow in a row.
function* partsOf({ from, to, first, last, lane }, row, width) {
	const x = width - LANE * (1.5 + lane), head = svgOf("svg", { y: "50%", overflow: "visible" });

	yield svgOf("line", { x1: x, x2: x, y1: row === first ? "50%" : 0,
		y2: row === last ? "50%" : "100%" });
	if (row === from || row === to)
		yield svgOf("line", { x1: x, x2: width, y1: "50%", y2: "50%" });
	head.append(svgOf("path", { d: `M${width - 5},-3L${width},0L${width - 5},3Z` }));
	if (row === to)
		yield head;
}

// Draws an arrow next to the instructions for each jump inside a listing. The arrows from and to the
// row at the pointer stand out.
function drawArrows(listing) {
	const rows = all("tbody tr", listing), at = new Map(rows.map((row, i) => [row.id, i]));
	const jumps = lanesOf(all(".jump", listing).map(link => {
		const from = at.get(link.closest("tr").id), to = at.get(link.hash.slice(1));
		return { from, to, first: Math.min(from, to), last: Math.max(from, to), drawn: [] };
	}));
	const width = LANE * (2 + Math.max(...jumps.map(jump => jump.lane))), svgs = new Map();

	for (const jump of jumps)
		for (let i = jump.first; i <= jump.last; i++) {
			const parts = [...partsOf(jump, i, width)];

			if (!svgs.has(i))
				svgs.set(i, svgOf("svg", { class: "arrows", "aria-hidden": true }));
			svgs.get(i).append(...parts);
			jump.drawn.push(...parts);
		}
	for (const [i, svg] of svgs)
		rows[i].lastElementChild.append(svg);
	if (jumps.length)
		listing.style.setProperty("--arrows", `${width}px`);
	for (const name of ["mouseover", "focusin"])
		listing.addEventListener(name, e => {
			const i = rows.indexOf(e.target.closest("tr"));

			for (const jump of jumps)
				for (const part of jump.drawn)
					part.classList.toggle("on", i === jump.from || i === jump.to);
		});
}
