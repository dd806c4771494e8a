import type { Body } from "../support/body.ts";
import type { Answered, Ask } from "../support/resort.ts";
import { askOf, type Call, methodOf, pathOf } from "./call.ts";
import { difference, unexpected } from "./expected.ts";
import type { Model } from "./model.ts";
import type { SeededRandom } from "./random.ts";

/** A resort in a process that can be killed. */
export interface CutGround {
	readonly nowMs: number;
	ask(method: string, path: string, ask?: Ask): Promise<Answered>;
	/** Sends a request, kills the resort meanwhile and starts it again; null when no answer came before. */
	cut(method: string, path: string, ask: Ask): Promise<Answered | null>;
}

/** What came of a change that was cut off: an answer, nothing at all, or the change without an answer. */
export type Fate = "answered" | "undone" | "done";

/** A change that is found again by a mark in it, or found missing, although nothing was answered. */
interface Change {
	readonly operation: string;
	/** @param mark a text that stands nowhere else */
	readonly body: (mark: string) => object;
	/** Where the change is read. */
	readonly path: string;
	/** What of the change's own answer a reading tells; undefined when it is not there. */
	readonly find: (read: Body, mark: string) => object | undefined;
}

const changes: readonly [Change, ...Change[]] = [
	{
		operation: "PATCH /api/me",
		body: (bio) => ({ bio }),
		path: "/api/me",
		find: ({ agent }, mark) => (agent.bio === mark ? { agent } : undefined),
	},
	{
		operation: "POST /api/postcards",
		body: (message) => ({ message }),
		path: "/api/postcards/mine?limit=1",
		find: ({ postcards: [postcard] }, mark) =>
			postcard?.message === mark ? { postcard } : undefined,
	},
	{
		operation: "POST /api/checkin",
		body: (moodOnArrival) => ({ moodOnArrival }),
		path: "/api/stays?limit=1",
		find: ({ stays: [stay] }, mark) =>
			stay?.moodOnArrival === mark ? { stay } : undefined,
	},
	{
		operation: "POST /api/checkout",
		body: (moodOnDeparture) => ({ moodOnDeparture }),
		path: "/api/stays?limit=1",
		find: ({ stays: [stay] }, mark) =>
			stay?.moodOnDeparture === mark ? { stay } : undefined,
	},
	{
		operation: "POST /api/activities/:id/do",
		body: (notes) => ({ notes }),
		path: "/api/activities/log?limit=1",
		find: (read, mark) => {
			const [done] = read.log;
			if (done?.notes !== mark) return undefined;
			const { id, startedAt, notes } = done;
			return { log: { id, startedAt, notes } };
		},
	},
	{
		operation: "POST /api/experiences",
		body: (name) => ({
			name,
			category: "quiet",
			description: "Listen to what is not there.",
			location: "The cellar",
			durationMinutes: 5,
		}),
		path: "/api/experiences?sort=newest&limit=1",
		find: ({ experiences: [experience] }, mark) =>
			experience?.name === mark ? { experience } : undefined,
	},
];

/**
 * Makes a change of an agent while the resort is killed, and lets the model learn what came of it.
 * @throws Error when an acknowledged change is not as the model says, or an unacknowledged one is there in part
 */
export async function cutOff(
	model: Model,
	dice: SeededRandom,
	ground: CutGround,
): Promise<Fate> {
	const { state } = model;
	const caller = dice.find([...state.agents.values()]);
	const activity = dice.find(state.catalogue);
	if (caller === undefined || activity === undefined) return "undone";
	const { operation, body, path, find } = dice.pick(...changes);
	const mark = `mark ${dice.uuid(ground.nowMs)}`;
	const call: Call = {
		operation,
		...(operation.includes(":id") && { id: activity.id }),
		body: body(mark),
		key: caller.key,
		peer: "192.0.2.1",
	};
	const fail = (what: string, answered: Answered | null) =>
		new Error(
			`${operation} ${path}, cut off: ${what}, ${answered?.text ?? "no answer"}`,
		);
	// That the caller of the last step was heard is written beside its answer: after one more it is there.
	await ground.ask("GET", "/api/health");
	const answered = await ground.cut(methodOf(call), pathOf(call), askOf(call));
	const read = await ground.ask("GET", path, { key: caller.key });
	// That it was heard before the kill may be lost; this is not.
	await ground.ask("GET", "/api/me", { key: caller.key });
	state.hear(caller);
	const found = find(read.body, mark);
	if (answered === null && found === undefined) return "undone";
	const expected = model.expect(call, ground.nowMs);
	if (answered !== null) {
		const what = unexpected(expected, answered);
		if (what !== null) throw fail(what, answered);
		if (found === undefined && answered.status < 300) {
			throw fail("acknowledged, and lost", answered);
		}
		return "answered";
	}
	if (expected.status >= 300) throw fail("must be refused, and was done", null);
	for (const [name, value] of Object.entries(found ?? {})) {
		const what = difference(Reflect.get(expected.body, name), value, name);
		if (what !== null) throw fail(what, null);
	}
	expected.learn?.({ ...read, body: JSON.parse(JSON.stringify(found)) });
	return "done";
}
