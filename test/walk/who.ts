import { forged, unknownKey } from "../support/api-key.ts";
import type { Call } from "./call.ts";
import type { Agent } from "./entities.ts";
import type { SeededRandom } from "./random.ts";
import type { State } from "./state.ts";

/** The parts of a call that say who sends it. */
export type Credential = Pick<Call, "key" | "session" | "otherScheme">;

/** What no longer works, for those who try it again. */
export class Remains {
	readonly #kept: string[] = [];

	/** Notes something of late; the oldest of many is forgotten. */
	note(item: string): void {
		if (this.#kept.includes(item)) return;
		this.#kept.push(item);
		if (this.#kept.length > 20) this.#kept.shift();
	}

	/** One of them. */
	find(dice: SeededRandom): string | undefined {
		return dice.find(this.#kept);
	}
}

/** Credentials of every kind, good and bad. */
export class Credentials {
	readonly #dice: SeededRandom;
	readonly #state: State;
	readonly #keys = new Remains();
	readonly #sessions = new Remains();

	constructor(dice: SeededRandom, state: State) {
		this.#dice = dice;
		this.#state = state;
	}

	/** For an agent's own call: mostly good, by key or by session. */
	of(agent: Agent | undefined): Credential {
		const dice = this.#dice;
		if (agent === undefined || dice.chance(0.05)) return this.bad(agent);
		const { key } = agent;
		this.#keys.note(key);
		const session = this.session(agent);
		if (
			session === undefined ||
			(this.#hasEnded(session) && dice.chance(0.9))
		) {
			return { key };
		}
		return dice.weighted<Credential>([
			[70, { key }],
			[25, { session }],
			// The key decides alone.
			[2, { key, session: this.session(this.#other()) ?? "none" }],
			// Another scheme than Bearer is no credential.
			[2, { session, otherScheme: "Basic cmVzdDpyZXN0" }],
		]);
	}

	/** A session of an agent, which may have ended. */
	session(agent: Agent | undefined): string | undefined {
		const session = this.#dice.find(agent?.sessions.slice(-3) ?? []);
		if (session !== undefined) this.#sessions.note(session);
		return session;
	}

	/** A key that may be no good, or no key at all. */
	doubtfulKey(agent: Agent | undefined): string {
		const dice = this.#dice;
		const key = agent?.key ?? "ar_nobody_nothing";
		const mistyped = key.endsWith("0") ? "1" : "0";
		return dice.pick(
			forged(key),
			unknownKey(key),
			key.slice(0, -1) + mistyped,
			key.slice(0, -1),
			` ${key}x`,
			key.replace("ar_", "ai_"),
			this.#keys.find(dice) ?? key,
		);
	}

	/** What mostly does not do: missing, replaced, mistyped, ended. */
	bad(agent: Agent | undefined): Credential {
		const dice = this.#dice;
		const session = this.session(agent) ?? "none";
		return dice.pick<Credential>(
			{},
			{ key: "" },
			{ key: this.doubtfulKey(agent).trim() },
			{ key: this.doubtfulKey(agent).trim(), session },
			{ session: this.#sessions.find(dice) ?? "none" },
			{ session: session.slice(0, -1) },
			{ otherScheme: `Basic ${agent?.key ?? ""}` },
		);
	}

	#hasEnded(session: string): boolean {
		const { sessions, nowMs } = this.#state;
		return (sessions.get(session)?.endsAt ?? 0) <= nowMs;
	}

	#other(): Agent | undefined {
		return this.#dice.find([...this.#state.agents.values()]);
	}
}
