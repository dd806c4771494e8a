/** What everybody may read and a change may alter: who is in the house, what guests made, the public board. */
export type Topic = "house" | "experiences" | "board";

/** What a change alters of what everybody may read; `agents` are those whose status or profile it alters. */
export interface Touches {
	readonly topics: readonly Topic[];
	readonly agents: readonly string[];
}

/** What a change touches that nobody else can see yet. */
export const NOTHING: Touches = { topics: [], agents: [] };

/** Counts changes, so that an answer that was made before one is known to be old. */
export class Changes {
	#total = 0;
	#whole = 0;
	readonly #byTopic = { house: 0, experiences: 0, board: 0 };
	readonly #listeners: ((agentId: string) => void)[] = [];

	/** How many changes there have been. */
	get total(): number {
		return this.#total;
	}

	/** A number that is another one after each change that alters a topic, or for null anything of any agent. */
	version(topic: Topic | null): number {
		return this.#whole + (topic === null ? 0 : this.#byTopic[topic]);
	}

	/** Tells of every agent whose status or profile is altered alone. */
	onAgent(listener: (agentId: string) => void): void {
		this.#listeners.push(listener);
	}

	/** @param touches null for a change that may alter everything */
	note(touches: Touches | null): void {
		this.#total++;
		if (touches === null) {
			this.#whole++;
			return;
		}
		for (const topic of touches.topics) this.#byTopic[topic]++;
		for (const agentId of touches.agents) {
			for (const tell of this.#listeners) tell(agentId);
		}
	}
}
