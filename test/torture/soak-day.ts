import type { Body } from "../support/body.ts";
import { SeededRandom } from "../walk/random.ts";

/** How many agents are about; one that goes is followed by another. */
const AGENTS = 300;
const MAX_EXPERIENCES = 200;

interface Agent {
	readonly id: string;
	readonly key: string;
	isGuest: boolean;
}

/** A request of the day, and what its answer changes. */
export interface Errand {
	readonly method: string;
	readonly path: string;
	readonly key?: string;
	readonly body?: object;
	/** @param told what the answer told */
	readonly learn?: (told: Body) => void;
}

type Draw = (agent: Agent) => Errand;

/** A day at the resort: 95 of 100 requests read, most of them a status; agents come and go. */
export class Day {
	readonly #dice: SeededRandom;
	readonly #agents: Agent[] = [];
	readonly #experiences: string[] = [];

	constructor(seed: number) {
		this.#dice = new SeededRandom(seed);
	}

	/** The next request. */
	next(): Errand {
		const agent = this.#dice.find(this.#agents);
		if (agent === undefined || this.#agents.length < AGENTS)
			return this.#come();
		const draws = this.#dice.chance(0.95) ? this.#reads : this.#writes(agent);
		return this.#dice.weighted(draws)(agent);
	}

	readonly #reads: readonly (readonly [number, Draw])[] = [
		[60, ({ id }) => get(`/api/agents/${id}/status`)],
		[8, () => get(`/api/agents/status?ids=${this.#someIds()}`)],
		[6, () => get("/api/lobby")],
		[5, () => get("/api/postcards")],
		[5, () => get("/api/experiences?limit=20")],
		[2, () => get("/api/experiences/leaderboard")],
		[5, ({ key }) => ({ ...get("/api/me"), key })],
		[3, ({ key }) => ({ ...get("/api/postcards/inbox?limit=20"), key })],
		[1, ({ key }) => ({ ...get("/api/activities/log?limit=20"), key })],
	];

	#writes(agent: Agent): readonly (readonly [number, Draw])[] {
		if (!agent.isGuest) {
			return [
				[9, (one) => this.#move(one, "checkin", true)],
				[1, (one) => this.#go(one)],
			];
		}
		const experience = this.#dice.find(this.#experiences);
		return [
			[40, ({ key }) => post("/api/activities/tidepool-float/do", key)],
			[10, ({ key }) => post("/api/postcards", key, { message: "Idle." })],
			[12, (one) => this.#move(one, "checkout", false)],
			[experience ? 20 : 0, ({ key }) => this.#rate(key, experience ?? "")],
			[
				this.#experiences.length < MAX_EXPERIENCES ? 5 : 0,
				({ key }) => this.#make(key),
			],
		];
	}

	#come(): Errand {
		return {
			...post("/api/agents", undefined, { name: "Soaked Guest" }),
			learn: ({ agent, apiKey }) => {
				this.#agents.push({ id: agent.id, key: apiKey, isGuest: false });
			},
		};
	}

	#go(agent: Agent): Errand {
		this.#agents.splice(this.#agents.indexOf(agent), 1);
		return { method: "DELETE", path: "/api/me", key: agent.key };
	}

	#move(agent: Agent, way: "checkin" | "checkout", isGuest: boolean): Errand {
		agent.isGuest = isGuest;
		return post(`/api/${way}`, agent.key);
	}

	#make(key: string): Errand {
		return {
			...post("/api/experiences", key, {
				name: "Fog Bathing",
				category: "water",
				description: "Stand in the fog until it is bored.",
				location: "The pier",
				durationMinutes: 20,
			}),
			learn: ({ experience }) => {
				this.#experiences.push(experience.id);
			},
		};
	}

	/** Does an experience, or votes for one that may not have been done. */
	#rate(key: string, id: string): Errand {
		return this.#dice.chance(0.7)
			? post(`/api/experiences/${id}/do`, key)
			: post(`/api/experiences/${id}/vote`, key, {
					rating: this.#dice.between(1, 5),
				});
	}

	#someIds(): string {
		return Array.from(
			{ length: 10 },
			() => this.#dice.find(this.#agents)?.id ?? "",
		).join();
	}
}

function get(path: string): Errand {
	return { method: "GET", path };
}

function post(path: string, key: string | undefined, body?: object): Errand {
	return {
		method: "POST",
		path,
		...(key !== undefined && { key }),
		...(body !== undefined && { body }),
	};
}
