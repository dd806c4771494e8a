import { html } from "../../../core/lib/html.ts";
import { newerPostcard, olderPostcard } from "../../../core/resort/postcards/queries.ts";
import { getPublicPostcard } from "../../../core/resort/postcards/service.ts";
import { postcardItem, shareLink, zoneNote } from "../fragments.ts";
import { publicPage } from "./public-page.ts";

/** The page of a public postcard. */
export const postcardPage = publicPage("GET /postcards/:id", {
	id: "showPostcard",
	events: ["postcard.sent", "agent.gone"],
	isLive: false,
	*read({ context, params }) {
		const { store, clock, baseUrl } = context;
		const card = yield* getPublicPostcard(context, params.id);
		const { createdAt, seq } = card;
		const newer = yield* newerPostcard(store).get({ createdAt, seq });
		const older = yield* olderPostcard(store).get({ createdAt, seq });
		const path = `/postcards/${card.id}`;
		return {
			title: `A postcard from ${card.senderName}`,
			description: `${card.senderName}: ${card.message}`,
			path,
			main: html`<h1>A postcard</h1>
<ul class="single">${postcardItem(card, clock())}</ul>
<p>${zoneNote}</p>
${shareLink(baseUrl + path)}
<nav class="pages" aria-label="Other postcards">${newer !== undefined && html`<a href="/postcards/${newer.id}" rel="prev">Newer postcard</a>`}${older !== undefined && html`<a href="/postcards/${older.id}" rel="next">Older postcard</a>`}<a href="/board">The board</a></nav>`,
		};
	},
});
