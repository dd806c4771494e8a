import { toTimestamp } from "../../lib/clock.ts";
import { FEED, type FeedItem, JSON_FEED } from "./model.ts";

/**
 * Writes JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/).
 * @param items newest first
 */
export function writeJsonFeed(
	items: readonly FeedItem[],
	baseUrl: string,
): string {
	return JSON.stringify({
		version: "https://jsonfeed.org/version/1.1",
		...FEED,
		home_page_url: `${baseUrl}/`,
		feed_url: `${baseUrl}${JSON_FEED.path}`,
		items: items.map(toItem),
	});
}

function toItem({
	id,
	link,
	title,
	text,
	createdAt,
	author,
	category,
}: FeedItem) {
	return {
		id,
		...(link !== null && { url: link.url }),
		title,
		content_text: text,
		date_published: toTimestamp(createdAt),
		authors: [{ name: author.name, ...(author.url && { url: author.url }) }],
		...(category !== null && { tags: [category] }),
	};
}
