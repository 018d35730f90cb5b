// SPDX-License-Identifier: MIT
// ---- two commits --------------------------------------------------------------------------------

// Rows have the counts of all commits; the table shows the two commits that are chosen.
function startComparison(section) {
	const base = one("#base", section), fresh = one("#new", section);

	function show() {
		for (const row of all(".compared tr[data-v]", section)) {
			const v = row.dataset.v.split(",");
			const a = v[base.value] || "", b = v[fresh.value] || "";
			const delta = a && b ? BigInt(b) - BigInt(a) : 0n;
			const sign = delta > 0n ? "+" : "";
			const percent = a && BigInt(a) && delta
				? `${sign}${(Number(delta) * 100 / Number(a)).toFixed(2)}%` : "";
			const [from, to, change, part] = row.cells;

			from.textContent = a && numberText(a);
			to.textContent = b && numberText(b);
			change.textContent = delta ? sign + numberText(delta) : "";
			part.textContent = percent;
			for (const cell of [change, part])
				cell.className = `n${delta > 0n ? " more" : delta < 0n ? " less" : ""}`;
			if (row.parentElement.parentElement.classList.contains("changed"))
				row.classList.toggle("same", !a || !b || a === b);
		}
	}
	for (const choice of [base, fresh])
		choice.addEventListener("change", show);
	show();
}
