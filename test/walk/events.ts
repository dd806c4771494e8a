import type { TestResort } from "../support/resort.ts";
import type { Agent, Experience, Postcard } from "./entities.ts";
import { difference } from "./expected.ts";

/** An event as docs/decisions.md, "Events", describes it. */
export interface Published {
	readonly type: string;
	readonly at: number;
	readonly agent: Agent;
	/** The only agent that may read the event; null if the event is public. */
	readonly recipient: Agent | null;
	readonly experience: Experience | null;
	readonly postcard: Postcard | null;
	details: Details | null;
}

/** The stored details of an event. */
export type Details = Readonly<Record<string, string | number | null>>;

/** An event with its id. */
export interface Event extends Published {
	readonly id: number;
}

/** Reads each event of the resort once. */
export class Chronicle {
	readonly events: Event[] = [];
	#passed = 0;

	get newest(): number {
		return this.events.at(-1)?.id ?? 0;
	}

	pass(cursor: number): void {
		this.#passed = Math.max(this.#passed, cursor);
	}

	/**
	 * Compares the new events of each agent with the expected ones, in order.
	 * @returns the first difference, or null
	 */
	async read(resort: Pick<TestResort, "rows">, happened: readonly Published[]): Promise<string | null> {
		const rows = await resort.rows(
			`SELECT id, type, at, agent_id, recipient_id, subject_id, details FROM events WHERE id > ${this.newest} ORDER BY id`,
		);
		const first = Number(rows[0]?.id ?? Number.POSITIVE_INFINITY);
		if (first <= this.#passed) {
			return `events.${first}: comes after the cursor ${this.#passed}`;
		}
		const written = rows.map(({ id, details, ...row }) => ({ ...row, details: JSON.parse(String(details)) }));
		const expected = Map.groupBy(happened, ({ agent }) => agent.id);
		const what = difference(
			Object.groupBy(happened.map(rowOf), ({ agent_id }) => agent_id),
			Object.groupBy(written, (row) => String(Reflect.get(row, "agent_id"))),
			"events",
		);
		if (what !== null) return what;
		for (const { id, agent_id } of rows) {
			const published = expected.get(String(agent_id))?.shift();
			if (published) this.events.push({ ...published, id: Number(id) });
		}
		return null;
	}
}

/** Returns the row of an event, without its id. */
function rowOf({ type, at, agent, recipient, experience, postcard, details }: Published) {
	const subject = experience ?? postcard;
	return {
		type,
		at,
		agent_id: agent.id,
		recipient_id: recipient?.id ?? null,
		subject_id: subject?.id ?? null,
		details,
	};
}
