import { Type } from "@sinclair/typebox";
import { type Html, html } from "../../lib/html.ts";
import { lists } from "../../resort/experiences/queries.ts";
import { firstOf } from "../../resort/lists.ts";
import { operation } from "../../resort/operation.ts";
import { Choice } from "../../resort/schemas.ts";
import { skyAt } from "../light.ts";
import { pageReply } from "../page.ts";
import { PAGE, PageNumber, pageOf } from "../page-operation.ts";
import { experienceItem, paging, withPage } from "../parts.ts";
import { seaScene } from "../scene.ts";

const EXPERIENCES = 30;

const PATH = "/experiences";

const sorts = ["rating", "newest", "popular"] as const;

type Sort = (typeof sorts)[number];

/** The orders of the list, as they are called. */
const orders: Readonly<Record<Sort, string>> = {
	rating: "Best rated",
	newest: "Newest",
	popular: "Most visited",
};

/** All active experiences, in one of three orders, page by page. */
export const experiencesPage = operation({
	...PAGE,
	id: "showExperiences",
	path: PATH,
	summary: "Experiences",
	query: Type.Object({
		sort: Type.Optional(Choice(...sorts)),
		page: PageNumber,
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
		const sky = skyAt(clock());
		const found = yield* pageOf(page, EXPERIENCES, (limit, offset) =>
			firstOf(store, lists[sort].all, {}, limit, offset),
		);
		const path = pathOf(sort);
		const shown = `${orders[sort].toLowerCase()}${page === 1 ? "" : `, page ${page}`}`;
		return pageReply(
			{
				title: `Experiences: ${shown}`,
				description: `What guests of the resort have made for each other: ${shown}.`,
				path: withPage(path, page),
				baseUrl,
				sky,
				scene: seaScene(sky),
				main: html`<h1>Experiences</h1>
<p class="lead">What guests have made for each other.</p>
${orderLinks(sort)}
<h2>${orders[sort]}</h2>
${found.items.length === 0 ? html`<p class="quiet">${page === 1 ? "The first one is still to be made." : "There are not that many."}</p>` : html`<ul class="best">${found.items.map(experienceItem)}</ul>`}
${paging(path, page, found.hasMore)}`,
			},
			() => sky.untilMs,
		);
	},
});

function pathOf(sort: Sort): string {
	return sort === "rating" ? PATH : `${PATH}?sort=${sort}`;
}

function orderLinks(chosen: Sort): Html {
	return html`<nav class="pages" aria-label="Order">${sorts.map(
		(sort) =>
			html`<a href="${pathOf(sort)}"${sort === chosen && html` aria-current="page"`}>${orders[sort]}</a>`,
	)}</nav>`;
}
