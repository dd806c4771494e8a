/**
 * What a change may alter: who is in the house, what guests made, and the public board, which everybody may
 * read; and which credentials are taken no more.
 */
export type Topic = "house" | "experiences" | "board" | "credentials";

/** What a change alters of what is kept; `agents` are those whose status or profile it alters. */
export interface Touches {
	readonly topics: readonly Topic[];
	readonly agents: readonly string[];
}

/** What a change touches of which nothing is kept yet. */
export const NOTHING: Touches = { topics: [], agents: [] };

/** What a change touches that ends credentials and alters nothing else. */
export const CREDENTIALS: Touches = { topics: ["credentials"], agents: [] };

/** Counts changes, so that an answer that was made before one is known to be old. */
export class Changes {
	#total = 0;
	#whole = 0;
	readonly #byTopic = { house: 0, experiences: 0, board: 0, credentials: 0 };
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
