// SPDX-License-Identifier: MIT
// ---- start --------------------------------------------------------------------------------------

// A link into a listing opens it.
function open() {
	const at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
	const listing = at && at.closest("details");

	if (listing && !listing.open) {
		listing.open = true;
		at.scrollIntoView({ block: "center" });
	}
}

all("table.sortable").forEach(startSorting);
all("input.filter").forEach(startFilter);
startTopics();
all("section.line").forEach(startLine);
all("#map").forEach(startSweep);
all("#history-data").forEach(startHistory);
if (flame)
	startFlame();
if (one("#event"))
	one("#event").addEventListener("change", e => {
		choose(Number(e.target.value));
		store();
	});
addEventListener("hashchange", open);
open();
