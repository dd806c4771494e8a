/** Lists the texts that can be hidden: postcards, experiences and reviews. */
import { toTimestamp, toTimestampOrNull } from "../../core/lib/clock.ts";
import { readPage } from "../../core/resort/lists.ts";
import type { Page } from "../../core/resort/schemas.ts";
import type { ServiceContext } from "../../core/resort/service-context.ts";
import type { Store } from "../../core/store/store.ts";
import { foldCase } from "./agent-reports.ts";
import { getAnyAgent } from "./any-agent.ts";
import type { Kind } from "./moderation.ts";
import { hideables, type ListedText } from "./queries.ts";

/** The maximum number of rows that a search reads in one query. */
export const ROWS_AT_ONCE = 1_000;

/** Selects the texts to list. */
export interface TextFilter {
	/** Only texts that contain this string are listed, ignoring case. Empty for all texts. */
	readonly search: string;
	/** The id of the author; null for all authors. */
	readonly by: string | null;
}

/**
 * Returns a page of the texts of a kind, newest first. A search reads all texts of the kind in batches, and
 * compares them in this program. The database cannot compare them, because SQLite and PostgreSQL ignore case
 * differently.
 * @throws ResortError `not_found` if the author is unknown
 */
export async function listTexts(
	{ store }: ServiceContext,
	kind: Kind,
	{ search, by }: TextFilter,
	page: Page,
) {
	const { all, ofAgent } = hideables[kind];
	const agentId = by === null ? null : (await store.read(() => getAnyAgent(store, by))).id;
	const { entries, total } =
		search === ""
			? await store.read(() =>
					readPage(store, agentId === null ? all : ofAgent, { values: { agentId }, page, show: toListed }),
				)
			: await searchTexts(store, kind, { search, by: agentId }, page);
	return { kind, texts: entries, total, offset: page.offset };
}

async function searchTexts(store: Store, kind: Kind, { search, by }: TextFilter, { limit, offset }: Page) {
	const { before } = hideables[kind];
	const part = foldCase(search);
	const entries: ReturnType<typeof toListed>[] = [];
	let total = 0;
	for (let seq = Number.MAX_SAFE_INTEGER; ; ) {
		const values = { seq, limit: ROWS_AT_ONCE };
		const rows = await store.read(() => before(store).all(values));
		for (const row of rows) {
			if (by !== null && row.agentId !== by) continue;
			if (!foldCase(row.text ?? "").includes(part)) continue;
			if (total >= offset && entries.length < limit) {
				entries.push(toListed(row));
			}
			total++;
		}
		const last = rows.at(-1);
		if (last === undefined || rows.length < ROWS_AT_ONCE) break;
		seq = last.seq;
	}
	return { entries, total };
}

function toListed({ seq, createdAt, hiddenAt, ...text }: ListedText) {
	return {
		...text,
		createdAt: toTimestamp(createdAt),
		hiddenAt: toTimestampOrNull(hiddenAt),
	};
}
