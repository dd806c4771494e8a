// Makes the filter of the API reference work.
const filter = document.querySelector("#filter");

/** Shows only the operations whose method, path or summary contains the entered text, and their groups. */
filter.addEventListener("input", () => {
	const text = filter.value.trim().toLowerCase();
	const operations = [...document.querySelectorAll(".operation")];
	for (const operation of operations) {
		const [name, summary] = operation.querySelectorAll("h3, p");
		const about = `${name.textContent} ${summary.textContent}`.toLowerCase();
		operation.hidden = !about.includes(text);
	}
	for (const link of document.querySelectorAll(".index li a")) {
		const operation = document.getElementById(link.hash.slice(1));
		link.parentElement.hidden = operation.hidden;
	}
	for (const group of document.querySelectorAll(".group")) {
		const shown = ".operation:not([hidden]), li:not([hidden])";
		group.hidden = group.querySelector(shown) === null;
	}
	const found = operations.filter(({ hidden }) => !hidden).length;
	filter.nextElementSibling.textContent = `${found} of ${operations.length}`;
});
