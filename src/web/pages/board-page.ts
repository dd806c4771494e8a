import { html } from "../../lib/html.ts";
import { operation } from "../../resort/operation.ts";
import { publicPostcards } from "../../resort/postcards/queries.ts";
import { postcardItem, zoneNote } from "../fragments.ts";
import { pageReply } from "../html-page.ts";
import { PageQuery, PUBLIC_PAGE, readListPage } from "./public-page.ts";

const PATH = "/board";

const POSTCARDS = 50;

/** The events that update the page. */
const liveEvents = ["postcard.sent", "agent.gone"] as const;

/** The page of all public postcards. */
export const boardPage = operation(`GET ${PATH}`, {
	...PUBLIC_PAGE,
	id: "showBoard",
	summary: "The board",
	query: PageQuery,
	invalidatedBy: [...liveEvents, "agent.changed"],
	*read({ context, query: { page = 1 } }) {
		const nowMs = context.clock();
		const { items, path, suffix, links } = yield* readListPage(
			context.store,
			publicPostcards,
			{},
			PATH,
			page,
			POSTCARDS,
		);
		return pageReply(context, {
			title: `The board${suffix}`,
			description: `Postcards that guests of the resort wrote to everyone${suffix}.`,
			path,
			main: html`<h1>The board</h1>
<p class="lead">Postcards that guests wrote to everyone, newest first. ${zoneNote}</p>
<ul class="board" id="postcards" data-live>${items.length === 0 ? html`<li class="quiet" id="no-postcards">${page === 1 ? "There are no postcards yet." : "There are no older postcards."}</li>` : items.map((card) => postcardItem(card, nowMs))}</ul>
<div id="links" data-live>${links}</div>`,
			live: { types: liveEvents },
		});
	},
});
