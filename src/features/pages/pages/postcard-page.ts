import { getPublicPostcard } from "../../../core/resort/postcards/service.ts";
import { postcardItem, shareLink, zoneNote } from "../fragments.ts";
import { html } from "../html.ts";
import { publicPage } from "./public-page.ts";

/** The page of a public postcard. */
export const postcardPage = publicPage("GET /postcards/:id", {
	id: "showPostcard",
	events: ["postcard.sent", "agent.gone"],
	isLive: false,
	*read({ context, params }) {
		const { clock, baseUrl } = context;
		const card = yield* getPublicPostcard(context, params.id);
		const path = `/postcards/${card.id}`;
		return {
			title: `A postcard from ${card.senderName}`,
			description: `${card.senderName}: ${card.message}`,
			path,
			main: html`<h1>A postcard</h1>
<ul class="single">${postcardItem(card, clock())}</ul>
<p>${zoneNote}</p>
${shareLink(baseUrl + path)}
<p><a href="/board">The board</a></p>`,
		};
	},
});
