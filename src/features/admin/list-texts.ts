/** Lists the texts that can be hidden: postcards, experiences and reviews. */
import { toTimestamp, toTimestampOrNull } from "../../core/lib/clock.ts";
import { readPage } from "../../core/resort/lists.ts";
import type { Page } from "../../core/resort/schemas.ts";
import { getAnyAgent } from "./any-agent.ts";
import type { AdminContext } from "./history.ts";
import { hideableOf } from "./moderation.ts";
import type { ListedText } from "./queries.ts";
import { foldCase, searchRows } from "./search-rows.ts";

interface TextFilter extends Page {
	readonly kind: string;
	/** Only texts that contain this string are listed, ignoring case. Empty for all texts. */
	readonly search: string;
	/** The id of the author; null for all authors. */
	readonly by: string | null;
}

/** Returns a page of the texts of a kind, newest first. @throws ResortError `not_found` */
export async function listTexts(context: AdminContext, { by, ...filter }: TextFilter) {
	const { store } = context;
	const { kind, search, offset } = filter;
	const texts = hideableOf(context, kind);
	const agentId = by === null ? null : (await store.read(() => getAnyAgent(store, by))).id;
	if (search === "") {
		const list = agentId === null ? texts.all : texts.ofAgent;
		const values = { agentId };
		const { entries, total } = await store.read(() =>
			readPage(store, list, { values, page: filter, show: toListed }),
		);
		return { kind, texts: entries, total, offset };
	}
	const part = foldCase(search);
	const matches = (row: ListedText) =>
		(agentId ?? row.agentId) === row.agentId && foldCase(row.text ?? "").includes(part);
	const { rows, total } = await searchRows(store, { before: texts.before, matches, page: filter });
	return { kind, texts: rows.map(toListed), total, offset };
}

function toListed({ seq, createdAt, hiddenAt, ...text }: ListedText) {
	return { ...text, createdAt: toTimestamp(createdAt), hiddenAt: toTimestampOrNull(hiddenAt) };
}
