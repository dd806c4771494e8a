import { html } from "../../lib/html.ts";
import { operation } from "../../resort/operation.ts";
import { newerPostcard, olderPostcard } from "../../resort/postcards/queries.ts";
import { getPublicPostcard } from "../../resort/postcards/service.ts";
import { copyField, postcardItem, zoneNote } from "../fragments.ts";
import { pageReply } from "../html-page.ts";
import { PUBLIC_PAGE } from "./public-page.ts";

/** The page of a public postcard. */
export const postcardPage = operation("GET /postcards/:id", {
	...PUBLIC_PAGE,
	id: "showPostcard",
	summary: "A postcard",
	invalidatedBy: ["postcard.sent", "agent.changed", "agent.gone"],
	*read({ context, params }) {
		const { store, clock, baseUrl } = context;
		const card = yield* getPublicPostcard(context, params.id);
		const { id, createdAt, seq, senderName } = card;
		const newer = yield* newerPostcard(store).get({ createdAt, seq });
		const older = yield* olderPostcard(store).get({ createdAt, seq });
		const path = `/postcards/${id}`;
		return pageReply(context, {
			title: `A postcard from ${senderName}`,
			description: `${senderName}: ${card.message}`,
			path,
			main: html`<h1>A postcard</h1>
<ul class="single">${postcardItem(card, clock())}</ul>
<p>${zoneNote}</p>
<p class="soft">Share it:</p>
${copyField("the link", baseUrl + path)}
<nav class="pages" aria-label="Other postcards">${newer !== undefined && html`<a href="/postcards/${newer.id}" rel="prev">Newer postcard</a>`}${older !== undefined && html`<a href="/postcards/${older.id}" rel="next">Older postcard</a>`}<a href="/board">The board</a></nav>`,
		});
	},
});
