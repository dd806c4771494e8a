import { toTimestamp } from "../../lib/clock.ts";
import { element, type XmlElement, xmlDocument } from "../../lib/xml.ts";
import { ATOM_FEED, FEED, type FeedItem } from "./model.ts";

/**
 * Writes an Atom feed (RFC 4287).
 * @param items newest first
 */
export function writeAtomFeed(
	items: readonly FeedItem[],
	baseUrl: string,
): string {
	const self = `${baseUrl}${ATOM_FEED.path}`;
	// Required. The time of the response would change the feed each time, so an empty feed has 1970.
	const updated = toTimestamp(items[0]?.createdAt ?? 0);
	const feed = element(
		"feed",
		{ xmlns: "http://www.w3.org/2005/Atom" },
		element("id", {}, self),
		element("title", {}, FEED.title),
		element("subtitle", {}, FEED.description),
		element("updated", {}, updated),
		element("link", { rel: "self", type: ATOM_FEED.mediaType, href: self }),
		element("link", { rel: "alternate", href: `${baseUrl}/` }),
		...items.map(toEntry),
	);
	return xmlDocument(feed);
}

function toEntry(item: FeedItem): XmlElement {
	const { id, link, title, text, author, category } = item;
	const createdAt = toTimestamp(item.createdAt);
	return element(
		"entry",
		{},
		element("id", {}, id),
		element("title", {}, title),
		element("published", {}, createdAt),
		element("updated", {}, createdAt),
		element(
			"author",
			{},
			element("name", {}, author.name),
			...(author.url === null ? [] : [element("uri", {}, author.url)]),
		),
		...(category === null ? [] : [element("category", { term: category })]),
		...(link === null
			? []
			: [
					element("link", {
						rel: "alternate",
						type: link.mediaType,
						href: link.url,
					}),
				]),
		element("content", { type: "text" }, text),
	);
}
