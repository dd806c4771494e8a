import type {
	ExperienceInfo,
	ExperienceVoteInfo,
} from "../../src/core/resort/guest-made-experiences/model.ts";
import type { OwnPostcardInfo } from "../../src/core/resort/postcards/model.ts";
import type { Body } from "./body.ts";
import { fogBathing } from "./values.ts";

/** The parts of a request other than its method and path. */
export interface CallOptions {
	/** A value that is sent as JSON, with the Content-Type of JSON. */
	readonly body?: unknown;
	/** A body that is sent unchanged, without a Content-Type. */
	readonly raw?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
	readonly key?: string | undefined;
	readonly session?: string;
	readonly headers?: Record<string, string>;
	/** The IP address from which the client seems to connect. Works only for resorts in this process. */
	readonly peer?: string;
}

/** A response whose body has been read. */
export interface Answered {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	/** The body as JSON. A missing field is undefined, whatever its type says. */
	readonly body: Body;
}

/** An agent that the test has registered. */
export interface Registered {
	readonly id: string;
	readonly key: string;
}

/** Creates the request for a call. */
export function toRequest(
	url: string,
	method: string,
	path: string,
	{ body, raw, key, session, headers: own }: CallOptions,
): Request {
	const headers = new Headers(own);
	if (body !== undefined) headers.set("content-type", "application/json");
	if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
	if (session !== undefined) headers.set("cookie", `__Host-resort_session=${session}`);
	return new Request(url + path, {
		method,
		headers,
		body: body === undefined ? (raw ?? null) : JSON.stringify(body),
	});
}

/** Reads the body of a response. */
export async function toAnswered(response: Response): Promise<Answered> {
	const { status, headers } = response;
	const text = await response.text();
	const isJson = headers.get("content-type") === "application/json";
	return { status, headers, text, body: isJson && text !== "" ? JSON.parse(text) : {} };
}

/** The resort under test, with methods for the most frequent calls. */
export abstract class Resort implements AsyncDisposable {
	readonly #raters: Registered[] = [];

	/** Stops the resort, if the test started it. */
	async close(): Promise<void> {}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.close();
	}

	/** Calls an operation or a page, and returns the response, whatever its status. */
	abstract call(method: string, path: string, options?: CallOptions): Promise<Answered>;

	/** Makes a call that must succeed, and returns the body of the response. */
	async send(method: string, path: string, options?: CallOptions): Promise<Body> {
		const { status, text, body } = await this.call(method, path, options);
		if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
		return body;
	}

	/** Registers an agent, called Ada by default. */
	async register(profile: object = {}): Promise<Registered> {
		const body = { name: "Ada", ...profile };
		const { agent, apiKey } = await this.send("POST", "/api/agents", { body });
		return { id: agent.id, key: apiKey };
	}

	/** Registers an agent and checks it in. */
	async guest(profile: object = {}): Promise<Registered> {
		const agent = await this.register(profile);
		await this.checkIn(agent);
		return agent;
	}

	checkIn({ key }: Registered): Promise<Body> {
		return this.send("POST", "/api/checkin", { key });
	}

	checkOut({ key }: Registered): Promise<Body> {
		return this.send("POST", "/api/checkout", { key });
	}

	/** Checks an agent out, or in if it is not checked in. Each call publishes an event. */
	async checkInOrOut(agent: Registered): Promise<void> {
		const { status } = await this.call("POST", "/api/checkout", { key: agent.key });
		if (status !== 200) await this.checkIn(agent);
	}

	/** Requests the caller's own agent. Without a valid credential, the response is a 401. */
	me(options: CallOptions): Promise<Answered> {
		return this.call("GET", "/api/me", options);
	}

	/** Opens a session, and returns the value of its cookie. */
	async login(key: string): Promise<string> {
		const { headers } = await this.call("POST", "/api/session", { body: { apiKey: key } });
		return /__Host-resort_session=([^;]+)/.exec(headers.get("set-cookie") ?? "")?.[1] ?? "";
	}

	async create({ key }: Registered, more: object = {}): Promise<ExperienceInfo> {
		const body = { ...fogBathing, ...more };
		return (await this.send("POST", "/api/experiences", { key, body })).experience;
	}

	complete({ key }: Registered, id: string, body: object = {}): Promise<Body> {
		return this.send("POST", `/api/experiences/${id}/do`, { key, body });
	}

	async vote({ key }: Registered, id: string, rating: number, review?: string): Promise<ExperienceVoteInfo> {
		const body = { rating, review };
		return (await this.send("POST", `/api/experiences/${id}/vote`, { key, body })).vote;
	}

	/** For each rating, lets a different guest complete the experience, and then vote with this rating. */
	async rate(id: string, ratings: readonly number[]): Promise<void> {
		for (const [at, rating] of ratings.entries()) {
			const rater = this.#raters[at] ?? (await this.guest({ name: "Rater" }));
			this.#raters[at] = rater;
			await this.complete(rater, id);
			await this.vote(rater, id, rating);
		}
	}

	/** Creates an experience, and lets guests vote for it with these ratings; see {@link rate}. */
	async rated(creator: Registered, ratings: readonly number[], more: object = {}): Promise<ExperienceInfo> {
		const experience = await this.create(creator, more);
		await this.rate(experience.id, ratings);
		return experience;
	}

	async sendPostcard({ key }: Registered, more: object = {}): Promise<OwnPostcardInfo> {
		const body = { message: "Wish you idle", ...more };
		return (await this.send("POST", "/api/postcards", { key, body })).postcard;
	}

	async see(id: string): Promise<ExperienceInfo> {
		return (await this.send("GET", `/api/experiences/${id}`)).experience;
	}

	async votes(id: string): Promise<ExperienceVoteInfo[]> {
		return (await this.send("GET", `/api/experiences/${id}/votes`)).votes;
	}

	/** Returns the names in a list of experiences, in the order of the list. */
	async names(query = ""): Promise<string[]> {
		const { experiences } = await this.send("GET", `/api/experiences${query}`);
		return experiences.map(({ name }) => name);
	}

	async leaders(query = ""): Promise<[rank: number, name: string][]> {
		const { leaderboard } = await this.send("GET", `/api/experiences/leaderboard${query}`);
		return leaderboard.map(({ rank, experience }) => [rank, experience.name]);
	}

	/** Returns the messages in a list of postcards, in the order of the list. */
	async messages(path: string, reader?: Registered): Promise<string[]> {
		const { postcards } = await this.send("GET", path, { key: reader?.key });
		return postcards.map(({ message }) => message);
	}

	async deactivate({ key }: Registered): Promise<void> {
		await this.send("DELETE", "/api/me", { key });
	}

	async rename({ key }: Registered, name: string): Promise<void> {
		await this.send("PATCH", "/api/me", { key, body: { name } });
	}

	async archive({ key }: Registered, id: string): Promise<void> {
		await this.send("DELETE", `/api/experiences/${id}`, { key });
	}
}

/** A resort that is called over HTTP. */
export class RemoteResort extends Resort {
	/** @param init options for every `fetch` */
	constructor(
		readonly url: string,
		private readonly init: BunFetchRequestInit = {},
	) {
		super();
	}

	override async call(method: string, path: string, options: CallOptions = {}): Promise<Answered> {
		return toAnswered(await fetch(toRequest(this.url, method, path, options), this.init));
	}
}

/** Returns the resort that listens at an address. */
export function resortAt(url: string): RemoteResort {
	return new RemoteResort(url);
}
