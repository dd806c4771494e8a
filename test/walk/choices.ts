import { bodies, type Drawer, queries } from "./bodies.ts";
import { type Call, FOREIGN_ORIGIN, isByHost, methodOf } from "./call.ts";
import type { Agent } from "./entities.ts";
import { Host } from "./host.ts";
import { peers } from "./limits.ts";
import type { Focus } from "./moments.ts";
import type { Hurry } from "./moves.ts";
import type { SeededRandom } from "./random.ts";
import type { State } from "./state.ts";
import { Targets } from "./targets.ts";
import { brokenBody } from "./values.ts";
import { endings, isFull, isOpen, rushes, weights } from "./weights.ts";
import { type Credential, Credentials } from "./who.ts";

/** How many of the calls that read something are remembered. */
const RECENT = 3;

/** Many calls of one operation, most of them by one agent from one address. */
interface Rush extends Who {
	readonly at: number;
	left: number;
}

/** Who calls what, from where. */
interface Who {
	readonly caller: Agent | undefined;
	readonly operation: string;
	readonly session?: string;
	readonly key?: string;
	readonly peer: string;
}

/** Chooses what is called next, by whom and with what. */
export class Chooser {
	readonly #dice: SeededRandom;
	readonly #state: State;
	readonly #credentials: Credentials;
	readonly #targets: Targets;
	readonly #host: Host;
	readonly #rushRate: number;
	#rush: Rush = { left: 0, at: 0, operation: "", caller: undefined, peer: "" };
	#focus: Focus | undefined;
	/** What was read of late, oldest first, and what of it is to be read again after a change by the host. */
	readonly #recent: Call[] = [];
	#again: Call[] = [];

	/** @param rushRate how likely a rush begins at each call */
	constructor(dice: SeededRandom, state: State, rushRate: number) {
		this.#rushRate = rushRate;
		this.#dice = dice;
		this.#state = state;
		this.#credentials = new Credentials(dice, state);
		this.#targets = new Targets(dice, state);
		this.#host = new Host(dice, state);
	}

	/** How much the calls are in a hurry. */
	get hurry(): Hurry {
		if (this.#focus !== undefined) return "still";
		return this.#rush.left > 0 ? "quick" : "none";
	}

	/** Turns to what has just come about, for the next few calls. */
	focusOn(focus: Focus): void {
		this.#focus = focus;
	}

	/** The next call. */
	next(): Call {
		const call = this.#again.pop() ?? this.#chosen();
		if (isByHost(call)) {
			if (methodOf(call) === "POST") this.#again = this.#someRecent();
		} else if (methodOf(call) === "GET") {
			this.#recent.push(call);
			if (this.#recent.length > RECENT) this.#recent.shift();
		}
		return call;
	}

	/** What is kept ready of it must not outlast the change. */
	#someRecent(): Call[] {
		const { length } = this.#recent;
		const count = Math.min(length, this.#dice.below(4));
		return this.#recent.slice(length - count);
	}

	#chosen(): Call {
		const dice = this.#dice;
		this.#hurry();
		const { caller, operation, session, key, peer } = this.#who();
		if (isByHost({ operation })) {
			return { ...this.#byHost(operation), operation, peer };
		}
		if (operation === "DELETE /api/me") this.#targets.noteGone(caller);
		const { caller: agent, experience } = this.#focus ?? {};
		const id = this.#targets.idFor(operation, caller, {
			...(agent && { agent }),
			...(experience && { experience }),
		});
		if (dice.chance(0.4)) this.#focus = undefined;
		const sent = this.#sent(operation, caller);
		const credential =
			session === undefined && key === undefined
				? this.#credential(operation, caller, sent)
				: { ...(session && { session }), ...(key && { key }) };
		const isForeign = dice.chance(0.04);
		if (caller && isForeign) {
			this.#focus = { caller, operations: ["GET /api/agents/:id"] };
		}
		if (caller && endings.includes(operation)) {
			this.#focusOnEnd(caller, credential);
		}
		return {
			operation,
			peer,
			...(id !== undefined && { id }),
			...sent,
			...(isForeign && { origin: FOREIGN_ORIGIN }),
			...credential,
		};
	}

	/** What the host does, and what is worth calling afterwards. */
	#byHost(operation: string): Pick<Call, "id" | "body" | "query"> {
		const { call, focus } = this.#host.call(operation, this.#focus);
		const { caller } = focus ?? {};
		if (operation.endsWith("/deactivate")) this.#targets.noteGone(caller);
		this.#focus = focus ?? this.#focus;
		if (caller === undefined || !endings.includes(operation)) return call;
		this.#focusOnEnd(caller, {});
		if (this.#dice.chance(0.5)) {
			const { key } = caller;
			this.#focus = { caller, key, operations: ["GET /api/me"] };
		}
		return call;
	}

	/** Tries a session again that a call is about to end. */
	#focusOnEnd(caller: Agent, used: Credential): void {
		const session = used.session ?? this.#credentials.session(caller);
		if (session === undefined) return;
		this.#focus = { caller, session, operations: ["GET /api/me"] };
	}

	#who(): Who {
		const dice = this.#dice;
		const anyone = { caller: this.#targets.agent(), peer: this.#peer() };
		const anything = dice.weighted(weights(this.#state));
		if (this.#focus !== undefined && dice.chance(0.9)) {
			const { operations, experience, ...who } = this.#focus;
			return { ...anyone, operation: dice.find(operations) ?? "", ...who };
		}
		if (this.#rush.left === 0 || dice.chance(0.2)) {
			return { ...anyone, operation: anything };
		}
		const { caller, operation, peer } = this.#rush;
		return {
			caller,
			peer: this.#alike(peer),
			operation: dice.chance(0.1) ? anything : operation,
		};
	}

	/** An address that the limiter takes for the same. */
	#alike(peer: string): string {
		const known = peers.get(peer);
		const alike = [...peers.keys()].filter((one) => peers.get(one) === known);
		return this.#dice.find(alike) ?? peer;
	}

	#hurry(): void {
		const rush = this.#rush;
		const isOver = !this.#state.agents.has(rush.caller?.id ?? "");
		rush.left = isOver ? 0 : Math.max(0, rush.left - 1);
		if (rush.left > 0 || !this.#dice.chance(this.#rushRate)) return;
		const at = this.#rush.at + 1;
		this.#rush = {
			left: this.#dice.between(20, 70),
			at,
			operation: rushes[at % rushes.length] ?? "",
			caller: this.#targets.agent(),
			peer: this.#peer(),
		};
	}

	#peer(): string {
		return this.#dice.find([...peers.keys()]) ?? "";
	}

	#credential(
		operation: string,
		caller: Agent | undefined,
		{ query = [] }: Pick<Call, "query">,
	): Credential {
		if (operation === "DELETE /api/session") {
			const session = this.#credentials.session(caller);
			return session === undefined || this.#dice.chance(0.15)
				? this.#credentials.of(caller)
				: { session };
		}
		// What needs no credential ignores one.
		const ignores =
			isOpen(operation) && !query.some(([, value]) => value === "me");
		return ignores && this.#dice.chance(0.8)
			? {}
			: this.#credentials.of(caller);
	}

	#sent(
		operation: string,
		caller: Agent | undefined,
	): Pick<Call, "body" | "raw" | "query"> {
		const drawer: Drawer = {
			dice: this.#dice,
			state: this.#state,
			targets: this.#targets,
			credentials: this.#credentials,
			isFull: isFull(this.#state),
		};
		const query = queries[operation];
		if (query) return { query: query(drawer, caller) };
		if (operation.startsWith("GET ")) return {};
		const raw = brokenBody(this.#dice);
		if (raw) return { raw };
		const body = bodies[operation];
		return body === undefined ? {} : { body: body(drawer, caller) };
	}
}
