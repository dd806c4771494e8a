import type { Task } from "../../store/task.ts";
import { type ListPage, readUncounted, toPageOf } from "../lists.ts";
import type { ServiceContext } from "../service-context.ts";
import { isOpen, nextEnd, type Timed } from "../stays/service.ts";
import type { DirectoryEntry, DirectoryQuery } from "./model.ts";
import { type DirectoryRow, directory, directorySearch } from "./queries.ts";

/** The default value of `limit` in GET /api/agents. */
const PAGE = 20;

/** A search for a part of a name examines this many agents, those with the newest stays, in about 2 ms. */
const SEARCHED = 10_000;

/** Among all agents, a search finds at most this many whose complete name equals the searched text. */
const NAMESAKES = 100;

/**
 * Lists the active agents that have stayed here, newest stay first. With `search`, only those whose names
 * contain that text, ignoring the case of ASCII letters.
 */
export function* listAgents(
	context: ServiceContext,
	{ search, status, limit = PAGE, offset = 0 }: DirectoryQuery,
): Task<Timed<ListPage<DirectoryEntry>>> {
	const { store } = context;
	const untilMs = yield* nextEnd(context);
	const show = (agent: DirectoryRow): DirectoryEntry => ({
		...agent,
		status: isOpen(context, agent) ? "relaxing" : "available",
	});
	const kind = status ?? "all";
	const values = { at: context.clock() };
	const page = { limit, offset };
	if (search === undefined) {
		return { value: yield* readUncounted(store, directory[kind], { values, page, show }), untilMs };
	}
	const name = search.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
	const rows = yield* directorySearch[kind](store).all({
		...values,
		name,
		recent: SEARCHED,
		same: NAMESAKES,
		limit: limit + 1,
		offset,
		pattern: `%${name.replace(/[%_\\]/g, "\\$&")}%`,
	});
	return { value: toPageOf(rows.map(show), page), untilMs };
}
