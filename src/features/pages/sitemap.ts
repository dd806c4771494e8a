import { roomSlug, roomTypes } from "../../content/rooms.ts";
import { HOUR_MS } from "../../core/lib/clock.ts";
import { lists } from "../../core/resort/guest-made-experiences/queries.ts";
import { firstOf } from "../../core/resort/lists.ts";
import { DocumentReply, type Operation, operation } from "../../core/resort/operation.ts";
import { publicPostcards } from "../../core/resort/postcards/queries.ts";
import { directory } from "../../core/resort/presence/queries.ts";
import { xml } from "./html.ts";
import { PUBLIC_PAGE } from "./pages/public-page.ts";

const MEDIA_TYPE = "application/xml";

/** The sitemap lists at most this number of agents, of experiences and of postcards. */
const NEWEST = 300;

/**
 * Creates the operation for the sitemap (https://www.sitemaps.org/protocol.html). The sitemap lists all pages
 * with a fixed path, and the newest agents, experiences and postcards. It may be up to an hour old.
 * @param pages the operations of the pages
 */
export function sitemapOperation(pages: readonly Operation[]): Operation {
	const fixed = [
		"/",
		...pages.map(({ path }) => path).filter((path) => !path.includes(":")),
		"/docs",
		...roomTypes.map(({ name }) => `/rooms/${roomSlug(name)}`),
	];
	return operation("GET /sitemap.xml", {
		...PUBLIC_PAGE,
		id: "getSitemap",
		summary: "The addresses of the pages, for search engines",
		mediaTypes: [MEDIA_TYPE],
		// These events remove pages. They invalidate the cached sitemap, so that it does not list the removed
		// pages.
		invalidatedBy: ["agent.gone", "experience.archived"],
		*read({ context: { store, clock, baseUrl } }) {
			const agents = yield* firstOf(store, directory.all, { values: {}, limit: NEWEST });
			const experiences = yield* firstOf(store, lists.newest.all, { values: {}, limit: NEWEST });
			const postcards = yield* firstOf(store, publicPostcards, { values: {}, limit: NEWEST });
			const paths = [
				...fixed,
				...agents.map(({ id }) => `/agents/${id}`),
				...experiences.map(({ id }) => `/experiences/${id}`),
				...postcards.map(({ id }) => `/postcards/${id}`),
			];
			const { markup: content } = xml`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${paths.map((path) => xml`<url><loc>${baseUrl}${path}</loc></url>\n`)}</urlset>
`;
			return new DocumentReply({ content, mediaType: MEDIA_TYPE }, { untilMs: clock() + HOUR_MS });
		},
	});
}
