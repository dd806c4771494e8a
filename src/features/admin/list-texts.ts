/** Lists the texts that can be hidden: postcards, experiences and reviews. */
import { toTimestamp, toTimestampOrNull } from "../../core/lib/clock.ts";
import { readPage } from "../../core/resort/lists.ts";
import type { Page } from "../../core/resort/schemas.ts";
import type { Store } from "../../core/store/store.ts";
import { foldCase } from "./agent-reports.ts";
import { getAnyAgent } from "./any-agent.ts";
import type { AdminContext } from "./history.ts";
import { hideableOf } from "./moderation.ts";
import type { Hideable, ListedText } from "./queries.ts";

/** The maximum number of rows that a search reads in one query. */
export const ROWS_AT_ONCE = 1_000;

/** Selects the texts to list. */
interface TextFilter extends Page {
	readonly kind: string;
	/** Only texts that contain this string are listed, ignoring case. Empty for all texts. */
	readonly search: string;
	/** The id of the author; null for all authors. */
	readonly by: string | null;
}

/**
 * Returns a page of the texts of a kind, newest first.
 * @throws ResortError `not_found` if the author is unknown
 */
export async function listTexts(context: AdminContext, { by, ...filter }: TextFilter) {
	const { store } = context;
	const { kind, search, offset } = filter;
	const texts = hideableOf(context, kind);
	const agentId = by === null ? null : (await store.read(() => getAnyAgent(store, by))).id;
	const list = agentId === null ? texts.all : texts.ofAgent;
	const { entries, total } =
		search === ""
			? await store.read(() => readPage(store, list, { values: { agentId }, page: filter, show: toListed }))
			: await searchTexts(store, texts, { ...filter, by: agentId });
	return { kind, texts: entries, total, offset };
}

/**
 * Reads all texts of a kind in batches, and compares them in this program. The database cannot compare them,
 * because SQLite and PostgreSQL ignore case differently.
 */
async function searchTexts(store: Store, { before }: Hideable, { search, by, limit, offset }: TextFilter) {
	const part = foldCase(search);
	const entries: ReturnType<typeof toListed>[] = [];
	let total = 0;
	let rows: ListedText[];
	let seq = Number.MAX_SAFE_INTEGER;
	do {
		const values = { seq, limit: ROWS_AT_ONCE };
		rows = await store.read(() => before(store).all(values));
		for (const row of rows) {
			seq = row.seq;
			if ((by ?? row.agentId) !== row.agentId || !foldCase(row.text ?? "").includes(part)) continue;
			if (total >= offset && entries.length < limit) entries.push(toListed(row));
			total++;
		}
	} while (rows.length === ROWS_AT_ONCE);
	return { entries, total };
}

function toListed({ seq, createdAt, hiddenAt, ...text }: ListedText) {
	return { ...text, createdAt: toTimestamp(createdAt), hiddenAt: toTimestampOrNull(hiddenAt) };
}
