import type {
	ExperienceInfo,
	ExperienceVoteInfo,
} from "../../src/core/resort/guest-made-experiences/model.ts";
import type { OwnPostcardInfo } from "../../src/core/resort/postcards/model.ts";
import type { Body } from "./body.ts";
import { type Ask, type Registered, TestResort } from "./resort.ts";

/** What makes an experience and nothing more. */
export const fogBathing = {
	name: "Fog Bathing",
	category: "water",
	description: "Stand in the fog until it is bored.",
	location: "The pier",
	durationMinutes: 20,
} as const;

/** Ids that no agent and no experience has. */
export const NOBODY = "00000000-0000-7000-8000-000000000000";
export const NOBODYS = `exp-${NOBODY}`;

/** A resort whose agents make things for each other; a call that is not answered as it should throws. */
export class Community extends TestResort {
	readonly #raters: Registered[] = [];

	async create(agent: Registered, more: object = {}): Promise<ExperienceInfo> {
		const body = { ...fogBathing, ...more };
		return (await this.post(agent, "/api/experiences", body)).experience;
	}

	complete(agent: Registered, id: string, body?: object): Promise<Body> {
		return this.post(agent, `/api/experiences/${id}/do`, body);
	}

	async vote(agent: Registered, id: string, rating: number, review?: string): Promise<ExperienceVoteInfo> {
		const body = { rating, review };
		return (await this.post(agent, `/api/experiences/${id}/vote`, body)).vote;
	}

	/** Lets one guest for each rating complete an experience and vote for it. */
	async rate(id: string, ratings: readonly number[]): Promise<void> {
		for (const [at, rating] of ratings.entries()) {
			const rater = this.#raters[at] ?? (await this.guest({ name: "Rater" }));
			this.#raters[at] = rater;
			await this.complete(rater, id);
			await this.vote(rater, id, rating);
		}
	}

	/** Makes an experience that has these ratings. */
	async rated(creator: Registered, ratings: readonly number[], more: object = {}): Promise<ExperienceInfo> {
		const experience = await this.create(creator, more);
		await this.rate(experience.id, ratings);
		return experience;
	}

	async send(agent: Registered, more: object = {}): Promise<OwnPostcardInfo> {
		const body = { message: "Wish you idle", ...more };
		return (await this.post(agent, "/api/postcards", body)).postcard;
	}

	async see(id: string): Promise<ExperienceInfo> {
		return (await this.#get(`/api/experiences/${id}`)).experience;
	}

	async votes(id: string): Promise<ExperienceVoteInfo[]> {
		return (await this.#get(`/api/experiences/${id}/votes`)).votes;
	}

	/** The names in a list of experiences, in its order. */
	async names(query = ""): Promise<string[]> {
		const { experiences } = await this.#get(`/api/experiences${query}`);
		return experiences.map(({ name }) => name);
	}

	async leaders(query = ""): Promise<[rank: number, name: string][]> {
		const path = `/api/experiences/leaderboard${query}`;
		const { leaderboard } = await this.#get(path);
		return leaderboard.map(({ rank, experience }) => [rank, experience.name]);
	}

	/** The messages in a list of postcards, in its order. */
	async messages(path: string, reader?: Registered): Promise<string[]> {
		const { postcards } = await this.#get(path, reader?.key);
		return postcards.map(({ message }) => message);
	}

	checkIn(agent: Registered): Promise<Body> {
		return this.post(agent, "/api/checkin");
	}

	checkOut(agent: Registered): Promise<Body> {
		return this.post(agent, "/api/checkout");
	}

	async deactivate({ key }: Registered): Promise<void> {
		await this.#call("DELETE", "/api/me", { key });
	}

	async rename({ key }: Registered, name: string): Promise<void> {
		await this.#call("PATCH", "/api/me", { key, body: { name } });
	}

	async archive({ key }: Registered, id: string): Promise<void> {
		await this.#call("DELETE", `/api/experiences/${id}`, { key });
	}

	/** Calls an operation as an agent, and returns the answer. */
	post({ key }: Registered, path: string, body: object = {}): Promise<Body> {
		return this.#call("POST", path, { key, body });
	}

	#get(path: string, key?: string): Promise<Body> {
		return this.#call("GET", path, key === undefined ? {} : { key });
	}

	async #call(method: string, path: string, ask: Ask): Promise<Body> {
		const { status, text, body } = await this.ask(method, path, ask);
		if (status > 201) throw new Error(text);
		return body;
	}
}
