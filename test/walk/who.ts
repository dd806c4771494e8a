import { forged, unknownKey } from "../support/api-key.ts";
import type { Call } from "./call.ts";
import type { Agent } from "./entities.ts";
import type { SeededRandom } from "./random.ts";
import type { State } from "./state.ts";

/** The parts of a call that say who sends it. */
export type Credential = Pick<Call, "key" | "session">;

/** Valid credentials, and those that are no longer or never were. */
export class Credentials {
	constructor(
		private readonly dice: SeededRandom,
		private readonly state: State,
	) {}

	/** For an agent's own call: mostly valid, by key or by session. */
	of(agent: Agent | undefined): Credential {
		const dice = this.dice;
		if (agent === undefined || dice.chance(0.05)) {
			return dice.pick<Credential>(
				{},
				{ key: this.doubtfulKey(agent) },
				{ session: dice.find(this.state.formerSessions.slice(-20)) ?? "none" },
			);
		}
		const { key } = agent;
		const session = this.session(agent);
		if (session === undefined || dice.chance(0.7)) return { key };
		const endsAt = this.state.sessions.get(session)?.endsAt ?? 0;
		const hasEnded = endsAt <= this.state.nowMs;
		return hasEnded && dice.chance(0.9) ? { key } : { session };
	}

	session(agent: Agent | undefined): string | undefined {
		return this.dice.find(agent?.sessions.slice(-3) ?? []);
	}

	doubtfulKey(agent: Agent | undefined): string {
		const key = agent?.key ?? "ar_nobody_nothing";
		const former = this.dice.find(this.state.formerKeys.slice(-20));
		return this.dice.pick(forged(key), unknownKey(key), former ?? key);
	}
}
