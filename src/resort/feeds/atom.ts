import { toTimestamp } from "../../lib/clock.ts";
import { type Html, xml } from "../../lib/html.ts";
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
	return xml`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${self}</id>
<title>${FEED.title}</title>
<subtitle>${FEED.description}</subtitle>
<updated>${updated}</updated>
<link rel="self" type="${ATOM_FEED.mediaType}" href="${self}"/>
<link rel="alternate" href="${baseUrl}/"/>
${items.map(toEntry)}</feed>
`.markup;
}

function toEntry(item: FeedItem): Html {
	const { id, link, title, text, author, category } = item;
	const createdAt = toTimestamp(item.createdAt);
	return xml`<entry>
<id>${id}</id>
<title>${title}</title>
<published>${createdAt}</published>
<updated>${createdAt}</updated>
<author><name>${author.name}</name>${author.url && xml`<uri>${author.url}</uri>`}</author>
${category && xml`<category term="${category}"/>`}
${link && xml`<link rel="alternate" type="${link.mediaType}" href="${link.url}"/>`}
<content type="text">${text}</content>
</entry>
`;
}
