// SPDX-License-Identifier: MIT
// Light or dark, and the search. Pages are read from disk, too, where a script may fetch nothing:
// the index is a script, which is loaded when somebody begins to search.
"use strict";
const root = document.currentScript.dataset.root;
const html = document.documentElement;

function remembered() {
	try {
		return localStorage.getItem("theme");
	} catch {
		return null; // forbidden, as for some pages on disk
	}
}

const dark = matchMedia("(prefers-color-scheme: dark)");
function choose(theme) {
	html.dataset.theme = theme || (dark.matches ? "dark" : "light");
}
choose(remembered());
dark.addEventListener("change", () => choose(remembered()));

const MOST = 30; // results that are shown

// Sections that have all words; those with more of them in their titles come first.
function find(index, text) {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	const found = [];
	if (!words.length)
		return found;
	for (const section of index) {
		const title = section.title.toLowerCase();
		const page = section.page.toLowerCase();
		let score = 0;
		const all = words.every(word => {
			const times = section.lower.split(word).length - 1;
			score += Math.min(times, 5);
			if (page.includes(word))
				score += 10;
			if (title.includes(word))
				score += title === word ? 40 : 20;
			return times || title.includes(word) || page.includes(word);
		});
		if (all)
			found.push({section, score, word: words[0]});
	}
	return found.sort((a, b) => b.score - a.score);
}

function result({section, word}) {
	const item = document.createElement("li");
	const link = item.appendChild(document.createElement("a"));
	link.href = root + "/" + section.location;
	const title = link.appendChild(document.createElement("b"));
	title.textContent = section.title;
	if (section.page !== section.title)
		link.append(" · " + section.page);
	const at = Math.max(0, section.lower.indexOf(word) - 40);
	link.appendChild(document.createElement("span")).textContent =
		(at ? "… " : "") + section.text.slice(at, at + 160);
	return item;
}

addEventListener("DOMContentLoaded", () => {
	document.getElementById("theme").addEventListener("click", () => {
		choose(html.dataset.theme === "dark" ? "light" : "dark");
		try {
			localStorage.setItem("theme", html.dataset.theme);
		} catch {
			// it lasts as long as this page
		}
	});

	const box = document.getElementById("search");
	const list = document.getElementById("found");
	function show() {
		const index = window.searchIndex;
		const text = box.value.trim();
		list.hidden = !text || !index;
		if (list.hidden)
			return;
		const found = find(index, text);
		list.replaceChildren(...found.slice(0, MOST).map(result));
		if (!found.length) {
			const none = list.appendChild(document.createElement("li"));
			none.appendChild(document.createElement("p")).textContent = "Nothing found.";
		}
	}
	function load() {
		if (document.getElementById("index"))
			return;
		const script = document.createElement("script");
		script.id = "index";
		script.src = root + "/search.js";
		script.addEventListener("load", () => {
			for (const section of window.searchIndex)
				section.lower = section.text.toLowerCase();
			show();
		});
		document.head.append(script);
	}
	box.addEventListener("focus", load);
	box.addEventListener("input", () => {
		load();
		show();
	});
	addEventListener("keydown", event => {
		if (event.key === "/" && document.activeElement !== box) {
			event.preventDefault();
			box.focus();
		} else if (event.key === "Escape") {
			box.value = "";
			show();
		} else if (event.key === "Enter" && document.activeElement === box) {
			list.querySelector("a")?.click();
		}
	});
	document.addEventListener("click", event => {
		if (!event.target.closest("search"))
			list.hidden = true;
	});
});
