import { type Call, isByHost } from "./call.ts";
import type { Agent } from "./entities.ts";
import { draw, type Source } from "./fields.ts";
import { cached, Host } from "./host.ts";
import { operationOf, operations } from "./model.ts";
import type { Focus } from "./moments.ts";
import { OWN_EXPERIENCES } from "./rules-experiences.ts";
import { AGENTS, type State } from "./state.ts";
import type { Credential } from "./targets.ts";

const EXPERIENCES = 60;

/** The weights of operations that do not have the default weight. */
const unusual: Readonly<Record<string, number>> = {
	"GET /api/me/overview": 50,
	"POST /api/me/api-key": 8,
	"GET /api/activities": 4,
	"POST /api/activities/:id/do": 50,
	"GET /api/experiences": 60,
	"DELETE /api/experiences/:id": 6,
	"POST /api/experiences/:id/do": 200,
	"POST /api/experiences/:id/vote": 260,
	"GET /api/postcards": 35,
	"POST /api/postcards": 55,
	"GET /api/lobby": 45,
	"POST /agents/:id/deactivate": 3,
	"POST /agents/:id/erase": 3,
};

const elsewhere = ["GET /api/events", "GET /api/me/events", OWN_EXPERIENCES];

const endings: readonly string[] = [
	"DELETE /api/session",
	"POST /api/me/api-key",
	"DELETE /api/me",
	"POST /agents/:id/deactivate",
	"POST /agents/:id/reset-key",
];

/** Returns the weights of the operations. They keep the numbers of guests and experiences steady. */
function weights(state: State): (readonly [number, string])[] {
	const { agents, everybody, experiences } = state;
	const surplus = Math.max(0, agents.size - AGENTS);
	const crowd = Math.max(1, experiences.size / EXPERIENCES);
	const relaxing = [...agents.values()].filter((agent) => state.openStay(agent));
	const isEmpty = relaxing.length < agents.size / 2;
	const isGone = [...everybody.values()].some(({ goneAt }) => goneAt !== null);
	const present: Readonly<Record<string, number>> = {
		...unusual,
		"POST /api/agents": agents.size < AGENTS ? 40 : 4,
		"DELETE /api/me": 2 + 4 * surplus,
		"POST /agents/:id/reactivate": isGone ? 7 : 1,
		"POST /api/checkin": isEmpty ? 150 : 40,
		"POST /api/experiences": Math.ceil(36 / crowd),
	};
	return Object.keys(operations)
		.filter((operation) => !elsewhere.includes(operation))
		.map((operation) => {
			const usual = isByHost({ operation }) ? 6 : 20;
			return [present[operation] ?? usual, operation] as const;
		});
}

interface Who extends Credential {
	readonly caller: Agent | undefined;
	readonly operation: string;
}

/** Chooses the next call: its operation, its caller and its input. */
export class Chooser {
	readonly #host: Host;
	#focus: Focus | undefined;
	readonly #queue: Call[] = [];

	constructor(private readonly source: Source) {
		this.#host = new Host(source.dice, source.state);
	}

	/** Whether the next calls look for effects of a recent change, so that the clock should not advance yet. */
	get isBusy(): boolean {
		return this.#queue.length > 0 || this.#focus !== undefined;
	}

	/** Makes calls about `focus` more likely. Returns a few such GET calls whose responses the resort caches. */
	focusOn(focus: Focus): readonly Call[] {
		this.#focus = focus;
		return this.#readings();
	}

	/**
	 * Returns the next call. Often makes the same GET calls before and after a change, to find cached responses
	 * that the change should have invalidated.
	 */
	next(): Call {
		const queued = this.#queue.shift();
		if (queued !== undefined) return queued;
		const dice = this.source.dice;
		const call = this.#chosen();
		const isChange = !call.operation.startsWith("GET ");
		if (!isChange || !dice.chance(isByHost(call) ? 0.6 : 0.15)) return call;
		const readings = this.#readings();
		this.#queue.push(...readings, call, ...readings);
		return this.next();
	}

	#readings(): readonly Call[] {
		const { dice, targets } = this.source;
		const { caller } = this.#focus ?? {};
		return Array.from({ length: dice.between(1, 3) }, () => this.#reading(caller ?? targets.agent()));
	}

	#reading(agent: Agent | undefined): Call {
		const { dice } = this.source;
		const { experience, operations = [] } = this.#focus ?? {};
		const likely = cached.filter((one) => operations.includes(one));
		const operation = dice.find(likely) ?? dice.pick(...cached);
		const focus = { ...(agent && { caller: agent }), ...(experience && { experience }) };
		const id = this.source.targets.idFor(operation, agent, focus);
		return { operation, ...this.#draw(operation, undefined), ...(id !== undefined && { id }) };
	}

	#draw(operation: string, caller: Agent | undefined): ReturnType<typeof draw> {
		const { fields } = operationOf({ operation });
		return draw(operation, fields, { ...this.source, caller });
	}

	#chosen(): Call {
		const dice = this.source.dice;
		const { caller, operation, session, key } = this.#who();
		const sent = this.#draw(operation, caller);
		if (isByHost({ operation })) {
			return { operation, ...sent, ...this.#byHost(operation) };
		}
		const id = this.source.targets.idFor(operation, caller, this.#focus);
		if (dice.chance(0.4)) this.#focus = undefined;
		const credential =
			session === undefined && key === undefined
				? this.#credential({ operation, ...sent }, caller)
				: { ...(session && { session }), ...(key && { key }) };
		if (caller && endings.includes(operation)) {
			this.#focusOnEnd(caller, credential);
		}
		return { operation, ...sent, ...credential, ...(id !== undefined && { id }) };
	}

	#byHost(operation: string): Pick<Call, "id"> {
		const { focus, ...call } = this.#host.move(operation, this.#focus);
		const { caller } = focus ?? {};
		this.#focus = focus ?? this.#focus;
		if (caller === undefined || !endings.includes(operation)) return call;
		this.#focusOnEnd(caller, {});
		if (this.source.dice.chance(0.5)) {
			const { key } = caller;
			this.#focus = { caller, key, operations: ["GET /api/me"] };
		}
		return call;
	}

	#focusOnEnd(caller: Agent, used: Credential): void {
		const session = used.session ?? this.source.targets.session(caller);
		if (session === undefined) return;
		this.#focus = { caller, session, operations: ["GET /api/me"] };
	}

	#who(): Who {
		const dice = this.source.dice;
		const anyone = { caller: this.source.targets.agent() };
		const anything = dice.weighted(weights(this.source.state));
		if (this.#focus !== undefined && dice.chance(0.9)) {
			const { operations, experience, ...who } = this.#focus;
			return { ...anyone, operation: dice.find(operations) ?? anything, ...who };
		}
		return { ...anyone, operation: anything };
	}

	#credential(call: Call, caller: Agent | undefined): Credential {
		const dice = this.source.dice;
		const { credential } = operationOf(call);
		const session = credential === "session" ? this.source.targets.session(caller) : undefined;
		if (session !== undefined && dice.chance(0.85)) return { session };
		// An operation that requires no credential must ignore a credential, so some of its calls send one.
		const isOmitted = credential === "none" && dice.chance(0.8);
		return isOmitted ? {} : this.source.targets.credential(caller);
	}
}
