import { DAY_MS, MINUTE_MS } from "../../src/core/lib/clock.ts";
import type { ActivityInfo } from "../../src/core/resort/activities/model.ts";
import { UUID_V7 } from "../support/values.ts";
import type { Agent, Completion, Experience, Postcard, Session, Stay, Vote } from "./entities.ts";
import { Chronicle, type Published } from "./events.ts";
import { type Some, someText } from "./expected.ts";

/** The maximum pause between two calls of a visit. */
export const LONGEST_PAUSE_MS = 30 * MINUTE_MS;
const ROOMS_PER_TYPE = 99;
/** The desired number of agents. */
export const AGENTS = 12;

/** The state of the model. */
export class State {
	nowMs = 0;
	readonly agents = new Map<string, Agent>();
	readonly keys = new Map<string, Agent>();
	readonly formerKeys: string[] = [];
	readonly formerSessions: string[] = [];
	readonly sessions = new Map<string, Session>();
	readonly everybody = new Map<string, Agent>();
	readonly experiences = new Map<string, Experience>();
	readonly made = new Map<string, Experience>();
	/** The public postcards, including hidden ones, oldest first. */
	readonly board: Postcard[] = [];
	readonly postcards = new Map<string, Postcard>();
	readonly votes = new Map<string, Vote>();
	catalogue: readonly ActivityInfo[] = [];
	/** The stays without a recorded end, with their agents, which may be deactivated. */
	readonly unended = new Map<Stay, Agent>();
	readonly published: Published[] = [];
	/** The events that have been read from the database. */
	readonly chronicle = new Chronicle();
	readonly roomTypes = new Set<string>();
	#arrivals = 0;
	readonly #ids = new Set<string>();

	/** @param maxStayMs the maximum duration of a stay; 0 means unlimited */
	constructor(private readonly maxStayMs: number) {}

	agent(id: string): Agent | undefined {
		return this.agents.get(id.toLowerCase());
	}

	experience(id: string): Experience | undefined {
		return this.experiences.get(id.toLowerCase());
	}

	listActive(): void {
		this.experiences.clear();
		for (const [id, experience] of this.made) {
			const { isArchived, hiddenAt } = experience;
			if (!isArchived && hiddenAt === null) this.experiences.set(id, experience);
		}
	}

	publish(type: string, agent: Agent, about: Partial<Published> = {}): void {
		this.published.push({
			type,
			at: this.nowMs,
			agent,
			recipient: null,
			experience: null,
			postcard: null,
			details: null,
			...about,
		});
	}

	arrive(agent: Agent, arrival: Stay): void {
		const newest = agent.stays.at(-1);
		if (newest) this.endOverdue(newest, agent);
		const stay = { ...arrival, order: this.#arrivals++ };
		this.roomTypes.add(stay.roomType);
		this.unended.set(stay, agent);
		agent.stays.push(stay);
		this.publishArrival(agent, stay);
	}

	publishArrival(agent: Agent, { roomName, roomType, checkedInAt }: Stay): void {
		this.publish("agent.relaxing", agent, { details: { roomName, roomType, checkedInAt } });
	}

	leave(agent: Agent, stay: Stay, leftAt: number, reason: "checked_out" | "max_stay" | "host"): void {
		stay.leftAt = leftAt;
		this.unended.delete(stay);
		// No event of a deactivated agent is published.
		if (!this.agents.has(agent.id)) return;
		this.publish("agent.available", agent, {
			at: leftAt,
			details: { reason, checkedOutAt: leftAt, totalRelaxationPoints: stay.points },
		});
	}

	sweep(): void {
		for (const [stay, agent] of this.unended) this.endOverdue(stay, agent);
	}

	endOverdue(stay: Stay, agent: Agent): void {
		const endedAt = this.endOf(stay);
		if (stay.leftAt !== null || endedAt === null) return;
		this.leave(agent, stay, endedAt, "max_stay");
	}

	/** Returns the end of a stay that has ended or is overdue; null if the stay is open. */
	endOf(stay: Stay): number | null {
		const { leftAt, endsBy } = stay;
		return leftAt ?? (endsBy !== null && this.nowMs >= endsBy ? endsBy : null);
	}

	/** Returns the latest end of a stay that begins now; null if the stay does not end by itself. */
	lastEnd(maxMinutes: number | null): number | null {
		const limits = [(maxMinutes ?? 0) * MINUTE_MS, this.maxStayMs].filter((limitMs) => limitMs > 0);
		return limits.length === 0 ? null : this.nowMs + Math.min(...limits);
	}

	openStay(agent: Agent): Stay | undefined {
		const newest = agent.stays.at(-1);
		return newest && this.endOf(newest) === null ? newest : undefined;
	}

	currentCompletion(stay: Stay): Completion | undefined {
		const newest = stay.log.at(-1);
		return newest && this.nowMs < newest.endsAt ? newest : undefined;
	}

	/** Whether an agent has been a guest at any time since 00:00 UTC. */
	wasHereToday({ stays }: Agent): boolean {
		const newest = stays.at(-1);
		if (newest === undefined) return false;
		const midnight = this.nowMs - (this.nowMs % DAY_MS);
		return (this.endOf(newest) ?? this.nowMs) >= midnight;
	}

	newId(prefix = ""): Some {
		return someText(
			`new ${prefix}UUID of version 7`,
			(id) => id.startsWith(prefix) && UUID_V7.test(id.slice(prefix.length)) && !this.#ids.has(id),
		);
	}

	noteId(id: string): string {
		this.#ids.add(id);
		return id;
	}

	/** Records an authenticated request, at most once a minute. After a long pause, a new visit begins. */
	hear(agent: Agent): void {
		const { heardAt } = agent;
		const pauseMs = this.nowMs - (heardAt ?? Number.NEGATIVE_INFINITY);
		if (pauseMs < MINUTE_MS) return;
		if (pauseMs > LONGEST_PAUSE_MS) agent.visitEndedAt = heardAt;
		agent.heardAt = this.nowMs;
	}

	freeRoom(): Some {
		return someText("free room", (name) => {
			const [, type, number] = /^(.+) (\d+)$/.exec(name) ?? [];
			const taken = new Set(
				[...this.unended.keys()]
					.filter((stay) => stay.roomType === type)
					.filter((stay) => this.endOf(stay) === null)
					.map(({ roomName }) => roomName),
			);
			return /^[1-9]\d?$/.test(number ?? "") && (taken.size >= ROOMS_PER_TYPE || !taken.has(name));
		});
	}
}
