import { Type } from "@sinclair/typebox";
import { html } from "../../lib/html.ts";
import { MAX_ITEMS } from "../../resort/feeds/service.ts";
import { firstOf } from "../../resort/lists.ts";
import { operation } from "../../resort/operation.ts";
import { publicOnes } from "../../resort/postcards/queries.ts";
import { skyAt } from "../light.ts";
import { pageReply } from "../page.ts";
import { PAGE, PageNumber, pageOf } from "../page-operation.ts";
import { paging, postcardItem, withPage } from "../parts.ts";
import { seaScene } from "../scene.ts";

/** As many as a feed has, so that each of its links finds its postcard. */
const POSTCARDS = MAX_ITEMS;

/** All public postcards, page by page. */
export const boardPage = operation({
	...PAGE,
	id: "showBoard",
	path: "/board",
	summary: "The board",
	query: Type.Object({ page: PageNumber }),
	invalidatedBy: ["postcard.sent", "agent.changed", "agent.gone"],
	*read({ context: { store, clock, baseUrl }, query }) {
		const nowMs = clock();
		const sky = skyAt(nowMs);
		const page = query.page ?? 1;
		const cards = yield* pageOf(page, POSTCARDS, (limit, offset) =>
			firstOf(store, publicOnes, {}, limit, offset),
		);
		const path = "/board";
		return pageReply(
			{
				title: page === 1 ? "The board" : `The board, page ${page}`,
				description: `Postcards that guests of the resort wrote to everybody${page === 1 ? "" : `, page ${page}`}.`,
				path: withPage(path, page),
				baseUrl,
				sky,
				scene: seaScene(sky),
				main: html`<h1>The board</h1>
<p class="lead">Postcards that guests wrote to everybody, the newest first.</p>
${cards.items.length === 0 ? html`<p class="quiet">${page === 1 ? "No postcard hangs here yet." : "No postcard is that old."}</p>` : html`<ul class="board">${cards.items.map((card) => postcardItem(card, nowMs))}</ul>`}
${paging(path, page, cards.hasMore)}`,
			},
			() => sky.untilMs,
		);
	},
});
