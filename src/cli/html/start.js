// SPDX-License-Identifier: MIT
// ---- start --------------------------------------------------------------------------------------

// A link into a listing opens it. If the listing was not made before, the browser has to find the
// place again.
function open() {
	const id = decodeURIComponent(location.hash.slice(1)), place = id.split("-")[0];
	const listing = place && document.getElementById(place);

	if (!listing || !listings.has(listing))
		return;
	const made = !one("noscript", listing);
	if (made && listing.open)
		return;
	makeListing(listing);
	listing.open = true;
	if (!made)
		location.replace(location.hash);
	document.getElementById(id).scrollIntoView({ block: "center" });
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
	if (one("#source"))
		startHottest();
}
addEventListener("hashchange", open);
open();
