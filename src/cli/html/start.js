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
all("[data-filter]").forEach(startFilter);
for (const label of all(".trust"))
	label.title = TRUST[label.dataset.trust] || "";
startTopics();
all("section.line").forEach(startLine);
all("#map").forEach(startSweep);
all("#history-data").forEach(startHistory);
if (calls) {
	startFlame();
	if (one("#source")) {
		startHottest();
		startArrows();
		startLines();
	}
}
addEventListener("hashchange", open);
open();
