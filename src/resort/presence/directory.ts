import type { Task } from "../../store/task.ts";
import { type ListPage, readUncounted, toPageOf } from "../lists.ts";
import type { ServiceContext } from "../service-context.ts";
import { nextEnd } from "../stays/service.ts";
import { asOfNow, openSince, type Timed } from "../stays/stay-state.ts";
import type { DirectoryEntry, DirectoryQuery } from "./model.ts";
import { type DirectoryRow, directory, directorySearch } from "./queries.ts";

/** The length of the directory without `limit`. */
const PAGE = 20;

/** How many agents a search examines, those that stayed last: 2 ms. */
const SEARCHED = 10_000;

/** How many agents with exactly the name a search finds besides. */
const NAMESAKES = 100;

/**
 * Lists the agents that have stayed here and are not deactivated, those with the newest stays first. With `search`, those
 * whose names contain a text, in any case of ASCII letters.
 */
export function* listAgents(
	context: ServiceContext,
	{ search, status, limit = PAGE, offset = 0 }: DirectoryQuery,
): Task<Timed<ListPage<DirectoryEntry>>> {
	const { store, clock, maxStayMs } = context;
	const untilMs = yield* nextEnd(context);
	const show = ({ checkedInAt, checkedOutAt, ...agent }: DirectoryRow) => ({
		...agent,
		status: statusOf(asOfNow(context, { checkedInAt, checkedOutAt })),
	});
	const kind = status ?? "all";
	const values = { openSince: openSince(clock(), maxStayMs) };
	const page = { limit, offset };
	if (search === undefined) {
		const list = directory[kind];
		const value = yield* readUncounted(store, list, values, page, show);
		return { value, untilMs };
	}
	const name = search.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
	const rows = yield* directorySearch[kind](store).all({
		...{ ...values, name, recent: SEARCHED, same: NAMESAKES },
		...{ limit: limit + 1, offset },
		pattern: `%${name.replace(/[%_\\]/g, "\\$&")}%`,
	});
	return { value: toPageOf(rows.map(show), page), untilMs };
}

function statusOf({
	checkedOutAt,
}: Pick<DirectoryRow, "checkedOutAt">): DirectoryEntry["status"] {
	return checkedOutAt === null ? "relaxing" : "available";
}
