import { activities } from "../../src/content/activities.ts";
import { pickOne, type Random } from "../../src/lib/random.ts";
import type { Body } from "../support/body.ts";
import type { Columns, Ledger, Table } from "./ledger.ts";
import { PRESENT } from "./ledger.ts";

/** How many agents a client plays at a time; an older one is left as it is. */
const AGENTS_PER_CLIENT = 4;

/** How long a client waits when the service has no storage. */
const PAUSE_MS = 5;

/** The most ids that one status call takes. */
const IDS_PER_CALL = 100;

/** Thrown where no answer came: the server is gone. */
class Cut extends Error {}

interface Guest {
	readonly id: string;
	key: string;
	stay: string | null;
	/** What its stay has so far; null while that is not known. */
	points: number | null;
	/** Experiences that it has completed. */
	readonly completed: Set<string>;
}

/** A change to a row that is known before it is asked for. */
type Change = readonly [table: Table, id: string, columns: Columns];

/** Clients that write all the time, each for agents of its own, and note what they were told. */
export class Crowd {
	readonly #ledger: Ledger;
	readonly #random: Random;
	readonly #clients: Guest[][];
	/** Experiences that stay. */
	readonly #experiences: string[] = [];
	/** Whether an agent is in the house; null when it is not known. */
	readonly #inHouse = new Map<string, boolean | null>();
	readonly #failures: string[] = [];
	#url = "";
	#stopped = false;
	#refused = 0;

	/** @param size how many clients there are */
	constructor(ledger: Ledger, random: Random, size: number) {
		this.#ledger = ledger;
		this.#random = random;
		this.#clients = Array.from({ length: size }, () => []);
	}

	/** How many writes were refused for want of storage. */
	get refused(): number {
		return this.#refused;
	}

	/** A sentence for each answer so far that was not as it must be; they are told once. */
	takeFailures(): string[] {
		return this.#failures.splice(0);
	}

	/** Lets all clients write until {@link stop} is called or the server is gone; settles when all have ended. */
	async write(url: string): Promise<void> {
		this.#url = url;
		this.#stopped = false;
		await Promise.all(this.#clients.map((guests) => this.#play(guests)));
	}

	/** Lets each client finish the call that it makes, and no further one begin. */
	stop(): void {
		this.#stopped = true;
	}

	/**
	 * Asks for the status of every agent and lets those that still play log in; what was not known is known then.
	 * @returns a sentence for each answer that contradicts what was acknowledged
	 */
	async check(url: string): Promise<string[]> {
		this.#url = url;
		const found: string[] = [];
		const ids = [...this.#inHouse.keys()];
		for (let from = 0; from < ids.length; from += IDS_PER_CALL) {
			const asked = ids.slice(from, from + IDS_PER_CALL);
			const path = `/api/agents/status?ids=${asked.join(",")}`;
			const { body } = await this.#send("GET", path);
			for (const { agent, status } of body.statuses) {
				const inHouse = this.#inHouse.get(agent.id) ?? null;
				if (inHouse !== null && inHouse !== (status === "relaxing")) {
					found.push(
						`agent ${agent.id} is ${status}, against what it was told`,
					);
				}
				this.#inHouse.set(agent.id, status === "relaxing");
			}
			if (body.statuses.length < asked.length) {
				found.push(`${asked.length - body.statuses.length} agents are unknown`);
			}
		}
		for (const guest of this.#clients.flat()) {
			const { status, body } = await this.#send(
				"GET",
				"/api/stays/current",
				guest.key,
			);
			if (status === 401) found.push(`agent ${guest.id} has no valid key`);
			const stay = status === 200 ? body.stay : null;
			if (guest.points !== null && stay !== null) {
				if (stay.id !== guest.stay || stay.relaxationPoints !== guest.points) {
					found.push(`agent ${guest.id} has another stay or other points`);
				}
			}
			guest.stay = stay?.id ?? null;
			guest.points = stay?.relaxationPoints ?? null;
		}
		return found;
	}

	async #play(guests: Guest[]): Promise<void> {
		while (!this.#stopped) {
			const guest =
				guests.length < 2 || this.#random.below(40) === 0
					? null
					: pickOne(this.#random, guests);
			try {
				if (guest === null) await this.#register(guests);
				else await this.#act(guest);
			} catch (error) {
				if (!(error instanceof Cut)) throw error;
				if (guest !== null) guest.points = null;
				return;
			}
			if (guests.length > AGENTS_PER_CLIENT) guests.shift();
		}
	}

	async #act(guest: Guest): Promise<void> {
		const chance = this.#random.below(100);
		if (chance < 4) return this.#rotateKey(guest);
		if (chance < 14) return this.#changeProfile(guest);
		if (guest.stay === null) return this.#checkIn(guest);
		if (chance < 22) return this.#checkOut(guest, guest.stay);
		if (chance < 45) return this.#doActivity(guest);
		if (chance < 52) return this.#makeExperience(guest);
		if (chance < 72) return this.#doExperience(guest);
		if (chance < 86) return this.#vote(guest);
		return this.#sendPostcard(guest);
	}

	async #register(guests: Guest[]): Promise<void> {
		const profile = { name: this.#words(2), bio: this.#words(8) };
		const body = await this.#write("POST", "/api/agents", profile);
		if (body === null) return;
		const { id } = body.agent;
		this.#ledger.acknowledge("agents", id, profile);
		this.#inHouse.set(id, false);
		guests.push({
			id,
			key: body.apiKey,
			stay: null,
			points: null,
			completed: new Set(),
		});
	}

	async #rotateKey(guest: Guest): Promise<void> {
		const { key } = guest;
		// While no answer has come, neither key is sure.
		guest.key = "";
		const body = await this.#write("POST", "/api/me/api-key", {}, key).catch(
			(error) => {
				for (const guests of this.#clients) {
					const at = guests.indexOf(guest);
					if (at >= 0) guests.splice(at, 1);
				}
				throw error;
			},
		);
		guest.key = body?.apiKey ?? key;
		if (body !== null) this.#ledger.acknowledge("agents", guest.id, {});
	}

	async #changeProfile(guest: Guest): Promise<void> {
		const profile = { name: this.#words(2), bio: this.#words(8) };
		await this.#change("PATCH", "/api/me", profile, guest, [
			"agents",
			guest.id,
			profile,
		]);
	}

	async #checkIn(guest: Guest): Promise<void> {
		const mood = this.#words(3);
		this.#inHouse.set(guest.id, null);
		const body = await this.#write(
			"POST",
			"/api/checkin",
			{ moodOnArrival: mood },
			guest.key,
		);
		this.#inHouse.set(guest.id, body !== null);
		if (body === null) return;
		const { id, roomType, checkedInAt } = body.stay;
		this.#ledger.acknowledge("stays", id, {
			agent_id: guest.id,
			room_type: roomType,
			checked_in_at: Date.parse(checkedInAt),
			checked_out_at: null,
			mood_on_arrival: mood,
		});
		guest.stay = id;
		guest.points = 0;
	}

	async #checkOut(guest: Guest, stay: string): Promise<void> {
		const moodOnDeparture = this.#words(3);
		this.#inHouse.set(guest.id, null);
		const body = await this.#change(
			"POST",
			"/api/checkout",
			{ moodOnDeparture },
			guest,
			[
				"stays",
				stay,
				{ checked_out_at: PRESENT, mood_on_departure: moodOnDeparture },
			],
		);
		this.#inHouse.set(guest.id, body === null);
		if (body === null) return;
		const { relaxationPoints, postcardsSent, activitiesCompleted } =
			body.summary;
		const { experiencesCompleted } = body.summary;
		this.#expectPoints(guest, 0, relaxationPoints);
		this.#ledger.acknowledge("stays", stay, {
			checked_out_at: Date.parse(body.stay.checkedOutAt ?? ""),
			relaxation_points: relaxationPoints,
			activities_completed: activitiesCompleted,
			experiences_completed: experiencesCompleted,
			postcards_sent: postcardsSent,
		});
		guest.stay = null;
		guest.points = null;
	}

	async #doActivity(guest: Guest): Promise<void> {
		const { id } = pickOne(this.#random, activities);
		const path = `/api/activities/${id}/do`;
		const body = await this.#complete(guest, path, { activity_id: id });
		if (body !== null) this.#addPoints(guest, body, body.activity);
	}

	async #doExperience(guest: Guest): Promise<void> {
		if (this.#experiences.length === 0) return this.#doActivity(guest);
		const id = pickOne(this.#random, this.#experiences);
		const path = `/api/experiences/${id}/do`;
		const body = await this.#complete(guest, path, { experience_id: id });
		if (body === null) return;
		this.#addPoints(guest, body, body.experience);
		guest.completed.add(id);
	}

	async #complete(
		guest: Guest,
		path: string,
		what: Columns,
	): Promise<Body | null> {
		const notes = this.#words(6);
		const body = await this.#write("POST", path, { notes }, guest.key);
		if (body === null) return null;
		const { relaxationPoints } = body.activity ?? body.experience;
		this.#ledger.acknowledge("activity_log", body.log.id, {
			...what,
			agent_id: guest.id,
			stay_id: guest.stay,
			notes,
			started_at: Date.parse(body.log.startedAt),
			relaxation_points: relaxationPoints,
		});
		return body;
	}

	async #makeExperience(guest: Guest): Promise<void> {
		const experience = {
			name: this.#words(2),
			category: this.#words(1),
			description: `${this.#words(8)}, for a while`,
			location: this.#words(2),
			durationMinutes: 1 + this.#random.below(480),
			relaxationPoints: 1 + this.#random.below(10),
		};
		const path = "/api/experiences";
		const body = await this.#write("POST", path, experience, guest.key);
		if (body === null) return;
		const { id } = body.experience;
		const { durationMinutes, relaxationPoints, ...texts } = experience;
		this.#ledger.acknowledge("experiences", id, {
			...texts,
			creator_id: guest.id,
			duration_minutes: durationMinutes,
			relaxation_points: relaxationPoints,
			archived_at: null,
		});
		if (this.#random.below(4) > 0) {
			this.#experiences.push(id);
			return;
		}
		await this.#change("DELETE", `${path}/${id}`, undefined, guest, [
			"experiences",
			id,
			{ archived_at: PRESENT },
		]);
	}

	async #vote(guest: Guest): Promise<void> {
		if (guest.completed.size === 0) return this.#doExperience(guest);
		const id = pickOne(this.#random, [...guest.completed]);
		const vote = {
			rating: 1 + this.#random.below(5),
			review: this.#words(5),
		};
		const path = `/api/experiences/${id}/vote`;
		const known = this.#votes.get(`${guest.id} ${id}`);
		const body =
			known === undefined
				? await this.#write("POST", path, vote, guest.key)
				: await this.#change("POST", path, vote, guest, [
						"experience_votes",
						known,
						vote,
					]);
		if (body === null || known !== undefined) return;
		this.#votes.set(`${guest.id} ${id}`, body.vote.id);
		this.#ledger.acknowledge("experience_votes", body.vote.id, {
			...vote,
			agent_id: guest.id,
			experience_id: id,
		});
	}

	readonly #votes = new Map<string, string>();

	async #sendPostcard(guest: Guest): Promise<void> {
		const card = { message: this.#words(9), mood: this.#words(1) };
		const recipientId =
			this.#random.below(2) === 0
				? null
				: pickOne(this.#random, [...this.#inHouse.keys()]);
		const body = await this.#write(
			"POST",
			"/api/postcards",
			{ ...card, recipientId },
			guest.key,
		);
		if (body === null) return;
		this.#ledger.acknowledge("postcards", body.postcard.id, {
			...card,
			sender_id: guest.id,
			stay_id: guest.stay,
			recipient_id: recipientId,
		});
	}

	#addPoints(
		guest: Guest,
		{ relaxationPoints }: Body,
		done: { relaxationPoints: number },
	): void {
		this.#expectPoints(guest, done.relaxationPoints, relaxationPoints);
		guest.points = relaxationPoints;
	}

	#expectPoints({ id, points }: Guest, more: number, told: number): void {
		if (points !== null && points + more !== told) {
			this.#failures.push(
				`agent ${id} was told ${told} points, not ${points} and ${more}`,
			);
		}
	}

	/** Writes what changes one known row. */
	async #change(
		method: string,
		path: string,
		body: object | undefined,
		{ key }: Guest,
		change: Change,
	): Promise<Body | null> {
		try {
			const answer = await this.#write(method, path, body, key);
			if (answer !== null) this.#ledger.acknowledge(...change);
			return answer;
		} catch (error) {
			this.#ledger.doubt(...change);
			throw error;
		}
	}

	/** @returns null when the write was refused, and so has not happened */
	async #write(
		method: string,
		path: string,
		sent: object | undefined,
		key?: string,
	): Promise<Body | null> {
		const { status, retryAfter, body } = await this.#send(
			method,
			path,
			key,
			sent,
		);
		if (status < 300) return body;
		const isClear =
			body.error === "Storage unavailable" && Number(retryAfter) >= 1;
		if (status === 503 && isClear) {
			this.#refused++;
			await Bun.sleep(PAUSE_MS);
		} else {
			this.#failures.push(`${method} ${path}: ${status} ${body.error}`);
		}
		return null;
	}

	/** @throws Cut */
	async #send(
		method: string,
		path: string,
		key?: string,
		sent?: object,
	): Promise<{ status: number; retryAfter: string | null; body: Body }> {
		try {
			const response = await fetch(this.#url + path, {
				method,
				headers: {
					"content-type": "application/json",
					...(key !== undefined && { authorization: `Bearer ${key}` }),
				},
				...(sent !== undefined && { body: JSON.stringify(sent) }),
			});
			return {
				status: response.status,
				retryAfter: response.headers.get("retry-after"),
				body: (await response.json()) as Body,
			};
		} catch (error) {
			throw new Cut(`${method} ${path}`, { cause: error });
		}
	}

	/** Words that are stored as they are sent. */
	#words(count: number): string {
		const words = ["slow", "Möwe", "fog", "🌴🌊", "naïve", "'quoted\"", "海"];
		return Array.from(
			{ length: count },
			() => `${pickOne(this.#random, words)}${this.#random.below(1_000)}`,
		).join(" ");
	}
}
