import type { Task } from "../../store/task.ts";
import { type ListPage, readUncounted } from "../lists.ts";
import type { ServiceContext } from "../service-context.ts";
import { isOpen, nextEnd, type Timed } from "../stays/service.ts";
import type { DirectoryEntry, DirectoryQuery } from "./model.ts";
import { directory, directorySearch } from "./queries.ts";

/** The default value of `limit` in GET /api/agents. */
const PAGE = 20;

/**
 * The number of agents, those with the newest stays, among whom a search looks for parts of names. Such a
 * search takes about 2 ms.
 */
const SEARCHED = 10_000;

/** The maximum number of agents whose whole name equals the search text. All agents are searched. */
const NAMESAKES = 100;

/**
 * Lists the active agents that have stayed here, newest stay first. If `search` is set, lists only agents
 * whose names contain this text, ignoring the case of ASCII letters; those with exactly this name come first.
 */
export function* listAgents(
	context: ServiceContext,
	{ search = "", status, limit = PAGE, offset = 0 }: DirectoryQuery,
): Task<Timed<ListPage<DirectoryEntry>>> {
	const { store } = context;
	const untilMs = yield* nextEnd(context);
	const name = search.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
	const pattern = `%${name.replace(/[%_\\]/g, "\\$&")}%`;
	const lists = search === "" ? directory : directorySearch;
	const values = { at: context.clock(), name, pattern, recent: SEARCHED, same: NAMESAKES };
	const page = yield* readUncounted(store, lists[status ?? "all"], values, { limit, offset });
	const entries = page.entries.map(
		(agent): DirectoryEntry => ({ ...agent, status: isOpen(context, agent) ? "relaxing" : "available" }),
	);
	return { value: { ...page, entries }, untilMs };
}
