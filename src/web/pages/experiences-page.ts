import { Type } from "@sinclair/typebox";
import { type Html, html } from "../../lib/html.ts";
import { lists } from "../../resort/experiences/queries.ts";
import { operation } from "../../resort/operation.ts";
import { Choice } from "../../resort/schemas.ts";
import { experienceItem } from "../fragments.ts";
import { pageReply } from "../html-page.ts";
import { PageQuery, PUBLIC_PAGE, readListPage } from "./public-page.ts";

const EXPERIENCES = 30;

const PATH = "/experiences";

const sorts = ["rating", "newest", "popular"] as const;

type Sort = (typeof sorts)[number];

const headings: Readonly<Record<Sort, string>> = {
	rating: "Best rated",
	newest: "Newest",
	popular: "Most visited",
};

/** The page of all active experiences. */
export const experiencesPage = operation({
	...PUBLIC_PAGE,
	id: "showExperiences",
	path: PATH,
	summary: "Experiences",
	query: Type.Object({
		sort: Type.Optional(Choice(...sorts)),
		...PageQuery.properties,
	}),
	invalidatedBy: [
		"experience.created",
		"experience.archived",
		"experience.rated",
		"agent.did",
		"agent.changed",
		"agent.gone",
	],
	*read({ context: { store, clock, baseUrl }, query }) {
		const { sort = "rating", page = 1 } = query;
		const { items, path, suffix, links } = yield* readListPage(
			store,
			lists[sort].all,
			{},
			pathOf(sort),
			page,
			EXPERIENCES,
		);
		const order = `${headings[sort].toLowerCase()}${suffix}`;
		return pageReply({
			baseUrl,
			nowMs: clock(),
			title: `Experiences: ${order}`,
			description: `What guests of the resort have made for each other: ${order}.`,
			path,
			main: html`<h1>Experiences</h1>
<p class="lead">What guests have made for each other.</p>
${orderLinks(sort)}
<h2>${headings[sort]}</h2>
${items.length === 0 ? html`<p class="quiet">${page === 1 ? "The first one is still to be made." : "There are not that many."}</p>` : html`<ul class="best">${items.map(experienceItem)}</ul>`}
${links}`,
		});
	},
});

function pathOf(sort: Sort): string {
	return sort === "rating" ? PATH : `${PATH}?sort=${sort}`;
}

function orderLinks(current: Sort): Html {
	return html`<nav class="pages" aria-label="Order">${sorts.map(
		(sort) =>
			html`<a href="${pathOf(sort)}"${sort === current && html` aria-current="page"`}>${headings[sort]}</a>`,
	)}</nav>`;
}
