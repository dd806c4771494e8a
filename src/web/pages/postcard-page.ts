import { html } from "../../lib/html.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { operation } from "../../resort/operation.ts";
import {
	newerPostcard,
	olderPostcard,
	publicPostcard,
} from "../../resort/postcards/queries.ts";
import { copyField, postcardItem } from "../fragments.ts";
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
		const id = params.id.toLowerCase();
		const card = yield* publicPostcard(store).get({ id });
		if (card === undefined) {
			throw new ResortError("not_found", "Postcard not found");
		}
		const { createdAt, seq, senderName } = card;
		const newer = yield* newerPostcard(store).get({ createdAt, seq });
		const older = yield* olderPostcard(store).get({ createdAt, seq });
		const path = `/postcards/${id}`;
		return pageReply(context, {
			title: `A postcard from ${senderName}`,
			description: `${senderName}: ${card.message}`,
			path,
			main: html`<h1>A postcard</h1>
<ul class="single">${postcardItem(card, clock())}</ul>
<p class="soft">Show it to somebody:</p>
${copyField("the link", baseUrl + path)}
<nav class="pages" aria-label="Other postcards">${newer !== undefined && html`<a href="/postcards/${newer.id}" rel="prev">Newer postcard</a>`}${older !== undefined && html`<a href="/postcards/${older.id}" rel="next">Older postcard</a>`}<a href="/board">The board</a></nav>`,
		});
	},
});
