/** Lists the texts that can be hidden: postcards, experiences, reviews, and the texts of features. */
import { toTimestamp, toTimestampOrNull } from "../../core/lib/clock.ts";
import { getAnyAgent } from "./any-agent.ts";
import type { Arguments } from "./arguments.ts";
import type { AdminContext } from "./history.ts";
import { hideableOf } from "./moderation.ts";
import type { ListedText } from "./queries.ts";
import { foldCase, searchRows } from "./search-rows.ts";

/** Returns a page of the texts of a kind, newest first. @throws ResortError `not_found` for `by` */
export async function listTexts(context: AdminContext, { by, ...filter }: Arguments) {
	const { store } = context;
	const { kind, search } = filter;
	const texts = hideableOf(context, kind);
	const agentId = by === null ? null : (await store.read(() => getAnyAgent(store, by))).id;
	const part = foldCase(search);
	const { entries, total } = await searchRows(store, agentId === null ? texts.listed : texts.listedOf, {
		values: { agentId },
		matches: search === "" ? null : ({ text }) => foldCase(text ?? "").includes(part),
		page: filter,
	});
	return { kind, texts: entries.map(toListed), total, offset: filter.offset };
}

function toListed({ seq, createdAt, hiddenAt, ...text }: ListedText) {
	return { ...text, createdAt: toTimestamp(createdAt), hiddenAt: toTimestampOrNull(hiddenAt) };
}
