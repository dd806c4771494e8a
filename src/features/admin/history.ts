/** The history of the actions of the host. It contains no texts of guests. */
import type { Logger } from "@logtape/logtape";
import { toTimestamp } from "../../core/lib/clock.ts";
import { readPage } from "../../core/resort/lists.ts";
import type { ServiceContext } from "../../core/resort/service-context.ts";
import type { Task } from "../../core/store/task.ts";
import { getAnyAgent } from "./any-agent.ts";
import type { Arguments } from "./arguments.ts";
import { actionsOnAgent, allActions, insertAction, type PersonalData } from "./queries.ts";

/** The context of the operations of the host. */
export interface AdminContext extends ServiceContext {
	/** The name of the running operation, as recorded in the history. */
	readonly command: string;
	/** The user of the operating system who runs the operation; `page` on the host's page. */
	readonly systemUser: string;
	readonly log: Logger;
	readonly personalData: PersonalData;
}

/** The target of an operation: an agent, a text of an agent, or an invitation. */
interface Concerned {
	readonly id?: string;
	/** The author, if the target is a text. */
	readonly agentId?: string;
	readonly invite?: { readonly label: string };
}

/** Runs a task in a transaction, records the running operation in the history, and logs it. */
export async function record<T extends object>(context: AdminContext, task: () => Task<T>): Promise<T> {
	const result = await context.store.write(() => recorded(context, task));
	const { id, invite }: Concerned = result;
	context.log.info("changed by the host", { by: "admin", what: context.command, whom: id ?? invite?.label });
	return result;
}

/** Runs a task, and records the operation with the ids in the task's result. Call it inside a transaction. */
export function* recorded<T extends object>(
	{ store, clock, command, systemUser }: AdminContext,
	task: () => Task<T>,
): Task<T> {
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
}

/**
 * Returns the actions of the host, newest first, with the current names of the agents concerned.
 * @throws ResortError `not_found` for `agent`
 */
export async function listHistory({ store }: ServiceContext, { agent, ...page }: Arguments) {
	return store.read(function* () {
		const agentId = agent === null ? null : (yield* getAnyAgent(store, agent)).id;
		const list = agentId === null ? allActions : actionsOnAgent;
		const { entries, total } = yield* readPage(store, list, { agentId }, page);
		const actions = entries.map(({ at, ...action }) => ({ at: toTimestamp(at), ...action }));
		return { actions, total, offset: page.offset };
	});
}
