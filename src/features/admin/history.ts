/** The history of the operator's actions. It contains no texts of guests. */
import { toTimestamp } from "../../core/lib/clock.ts";
import { readPage } from "../../core/resort/lists.ts";
import type { Page } from "../../core/resort/schemas.ts";
import type { ServiceContext } from "../../core/resort/service-context.ts";
import type { Task } from "../../core/store/task.ts";
import { getAnyAgent } from "./any-agent.ts";
import { actionsOnAgent, allActions, insertAction } from "./queries.ts";

/** The context of the operator's commands. */
export interface AdminContext extends ServiceContext {
	/** The name of the running command, as recorded in the history. */
	readonly command: string;
	/** The user of the operating system who runs the command. */
	readonly systemUser: string;
}

/** The target of a command: an agent, a text of an agent, or an invitation. */
interface Concerned {
	readonly id?: string;
	/** The author, if the target is a text. */
	readonly agentId?: string;
	readonly invite?: { readonly label: string };
}

/**
 * Runs a task in a transaction, and records the running command in the history. The entry refers to the ids
 * in the result of the task.
 * @returns the result of the task
 */
export function record<T extends object>(
	{ store, clock, command, systemUser }: AdminContext,
	task: () => Task<T>,
): Promise<T> {
	return store.write(function* () {
		const result = yield* task();
		const { id, agentId = id, invite }: Concerned = result;
		const textId = agentId === id ? null : id;
		yield* insertAction(store).run({
			at: clock(),
			command,
			agentId: agentId ?? null,
			subjectId: invite?.label ?? textId ?? null,
			systemUser,
		});
		return result;
	});
}

/**
 * Returns the operator's actions, newest first, each with the current name of the agent that it concerned.
 * @param id the agent whose history is requested; null for the whole history
 * @throws ResortError `not_found`
 */
export async function listHistory({ store }: ServiceContext, id: string | null, page: Page) {
	return store.read(function* () {
		const agentId = id === null ? null : (yield* getAnyAgent(store, id)).id;
		const list = agentId === null ? allActions : actionsOnAgent;
		const { entries, total } = yield* readPage(store, list, {
			values: { agentId },
			page,
			show: ({ at, ...action }) => ({
				at: toTimestamp(at),
				...action,
			}),
		});
		return { actions: entries, total, offset: page.offset };
	});
}
