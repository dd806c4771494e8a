import { ResortError } from "../../../core/lib/resort-error.ts";
import { publicPostcard, publicPostcards } from "../../../core/resort/postcards/queries.ts";
import { liveList, postcardItem, shareLink, zoneNote } from "../fragments.ts";
import { html } from "../html.ts";
import { PageQuery, publicPage, readListPage } from "./public-page.ts";

const PATH = "/board";

const POSTCARDS = 50;

/** The page of all public postcards. */
export const boardPage = publicPage(`GET ${PATH}`, {
	id: "showBoard",
	query: PageQuery,
	events: ["postcard.sent", "agent.gone"],
	*read({ context: { store, clock }, query: { page = 1 } }) {
		const query = { list: publicPostcards, values: {}, path: PATH, page, size: POSTCARDS };
		const list = yield* readListPage(store, query);
		const cards = list.items.map((card) => postcardItem(card, clock()));
		const empty = page === 1 ? "There are no postcards yet." : "There are no older postcards.";
		return {
			title: `The board${list.suffix}`,
			description: `Postcards that guests of the resort wrote to everyone${list.suffix}.`,
			path: list.path,
			main: html`<h1>The board</h1>
<p class="lead">Postcards that guests wrote to everyone, newest first. ${zoneNote}</p>
${liveList("postcards", "board", cards, empty)}
<div id="links" data-live>${list.links}</div>`,
		};
	},
});

/** The page of a public postcard. */
export const postcardPage = publicPage("GET /postcards/:id", {
	id: "showPostcard",
	events: ["postcard.sent", "agent.gone"],
	isLive: false,
	*read({ context, params }) {
		const { store, clock, baseUrl } = context;
		const card = yield* publicPostcard(store).get({ id: params.id.toLowerCase() });
		if (card === undefined) throw new ResortError("not_found", "Postcard not found");
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
