// SPDX-License-Identifier: MIT
// ---- charts -------------------------------------------------------------------------------------

// One interval is shown in all charts of a place.
function startCharts(charts) {
	const ends = charts.dataset.t.split(",").map(Number), labels = charts.dataset.l.split(",");
	const figures = all("figure", charts).map(figure => {
		const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
		const svg = one("svg", figure), output = one("output", figure);
		line.setAttribute("class", "cursor");
		line.setAttribute("y1", "0");
		line.setAttribute("y2", "100");
		return { svg, output, line, usual: output.textContent, n: figure.dataset.n.split(",") };
	}).filter(f => f.svg);
	let at = -1;

	function show(i) {
		at = i;
		for (const f of figures) {
			const middle = i < 0 ? 0 : 500 * ((ends[i - 1] || 0) + ends[i]);
			f.line.setAttribute("x1", middle);
			f.line.setAttribute("x2", middle);
			if (i < 0)
				f.line.remove();
			else
				f.svg.append(f.line);
			f.output.textContent = i < 0 ? f.usual
				: /^\d+$/.test(f.n[i]) ? numberText(f.n[i]) : f.n[i];
		}
		if (i >= 0)
			one(".hint", charts.parentElement).textContent =
				`${labels[i - 1] || 0} to ${labels[i]} ${charts.dataset.u}`;
	}

	charts.addEventListener("pointermove", e => {
		const svg = e.target.closest("figure") && one("svg", e.target.closest("figure"));
		if (!svg)
			return;
		const box = svg.getBoundingClientRect(), x = (e.clientX - box.left) / box.width;
		const i = ends.findIndex(end => x <= end);
		show(x < 0 ? 0 : i < 0 ? ends.length - 1 : i);
	});
	charts.addEventListener("pointerleave", () => show(-1));
	charts.addEventListener("keydown", e => {
		const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		if (e.key === "Escape")
			show(-1);
		else if (step) {
			e.preventDefault();
			show(Math.min(ends.length - 1, Math.max(0, at + step)));
		}
	});
}
