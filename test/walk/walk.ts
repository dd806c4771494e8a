import type { Answered } from "../support/calls.ts";
import type { TestResort } from "../support/resort.ts";
import { askOf, type Call, followingCall, isByHost, lineOf, type SuggestedCall } from "./call.ts";
import { Chooser } from "./choices.ts";
import { unexpected } from "./expected.ts";
import { Listeners } from "./listeners.ts";
import { Model, type Rules } from "./model.ts";
import { nextMove } from "./moments.ts";
import { SeededRandom } from "./random.ts";
import { Targets } from "./targets.ts";

/** The resort that the walk calls, and its clock. */
export type Ground = Pick<TestResort, "nowMs" | "advance" | "call" | "host" | "sweep" | "rows">;

/** The number of steps of a walk. */
export const STEPS = Number(process.env.WALK_STEPS ?? 1_500);

/** The seed of a walk that failed and is repeated; undefined by default. */
export const REPLAYED = process.env.WALK_SEED;

/** The number of steps between two comparisons of the events. */
const STRETCH = 300;

const FOLLOWED = 0.3;

/** The settings of a walk. */
export interface WalkSettings extends Rules {
	readonly seed: number;
}

/**
 * A random walk. Each step advances the clock, makes a call, and compares the response with that of the
 * model. The seed determines all steps, so a failed walk can be repeated.
 */
export class Walk {
	readonly #settings: WalkSettings;
	readonly #dice: SeededRandom;
	readonly #model: Model;
	readonly #chooser: Chooser;
	readonly #listeners: Listeners;
	#step = 0;

	constructor(settings: WalkSettings) {
		this.#settings = settings;
		this.#dice = new SeededRandom(settings.seed);
		this.#model = new Model(settings);
		const { state } = this.#model;
		const targets = new Targets(this.#dice, state);
		const source = { dice: this.#dice, state, targets };
		this.#chooser = new Chooser(source);
		this.#listeners = new Listeners(source);
	}

	/** @param pause is called after each comparison of the events */
	async run(ground: Ground, pause = async () => {}): Promise<void> {
		this.#model.state.catalogue = (await ground.call("GET", "/api/activities")).body.activities;
		while (this.#step < STEPS) {
			await this.#take(ground);
			if (this.#step % STRETCH > 0 && this.#step < STEPS) continue;
			await this.#compareEvents(ground);
			await pause();
		}
	}

	/** Ends overdue stays, compares new events with the model, and reads events through the API. */
	async #compareEvents(ground: Ground): Promise<void> {
		const { state } = this.#model;
		state.nowMs = ground.nowMs;
		state.sweep();
		await ground.sweep();
		const what = await state.chronicle.read(ground, state.published.splice(0));
		if (what !== null) throw this.#failure(what);
		await this.#listeners.listen((call) => this.#ask(ground, call));
	}

	async #take(ground: Ground): Promise<void> {
		this.#step++;
		this.#model.state.nowMs = ground.nowMs;
		const { byMs, focus } = nextMove(this.#dice, this.#model, this.#chooser.isBusy);
		// Makes the same GET calls just before and after a certain time, for example the end of a stay, to find
		// cached responses that are no longer correct.
		const readings = focus ? this.#chooser.focusOn(focus) : [];
		const lastMs = focus ? Math.min(byMs, 1) : 0;
		ground.advance(byMs - lastMs);
		for (const call of readings) await this.#ask(ground, call);
		ground.advance(lastMs);
		this.#model.state.nowMs = ground.nowMs;
		for (const call of readings) await this.#ask(ground, call);
		await this.#ask(ground, this.#chooser.next());
	}

	async #ask(ground: Ground, call: Call, isFollowing = false): Promise<Answered> {
		const { nowMs } = ground;
		// Lets scheduled tasks run before the call, as they would between two requests over a network.
		await new Promise((resolve) => setImmediate(resolve));
		const expected = this.#model.expect(call, nowMs);
		const [method, path] = lineOf(call);
		const fail = (what: string, answered: Answered | null) =>
			this.#failure(
				`${method} ${path}: ${what}`,
				`time: ${new Date(nowMs).toISOString()}`,
				`asked: ${JSON.stringify(call)}`,
				`expected: ${expected.status} ${JSON.stringify(expected.body)}`,
				`actual: ${answered?.status} ${answered?.text}`,
			);
		const answering = isByHost(call)
			? ground.host(method, path, call.body)
			: ground.call(method, path, askOf(call));
		const answered = await answering.catch((error) => {
			throw fail(String(error), null);
		});
		const what = unexpected(expected, answered);
		if (what !== null) throw fail(what, answered);
		const { next } = answered.body ?? {};
		if (Array.isArray(next) && !isFollowing) {
			const step = this.#dice.find<SuggestedCall>(next);
			const isFollowed = this.#dice.chance(FOLLOWED);
			if (step && isFollowed) await this.#follow(ground, call, answered, step);
		}
		return answered;
	}

	#failure(...lines: readonly string[]): Error {
		const { seed } = this.#settings;
		return new Error(
			[
				`step ${this.#step}: ${lines[0]}`,
				`replay: WALK_SEED=${seed} WALK_STEPS=${this.#step} bun test test/walk`,
				`settings: ${JSON.stringify(this.#settings)}`,
				...lines.slice(1),
			].join("\n"),
		);
	}

	/** Makes a suggested call as the agent that received the suggestion, and requires that it succeeds. */
	async #follow(ground: Ground, call: Call, answered: Answered, step: SuggestedCall) {
		// The model has no assignments, so it cannot predict the response.
		if (step.path === "/api/assignments") return;
		const following = followingCall(call, answered, step);
		const { status, text } = await this.#ask(ground, following, true);
		// The suggested recipient may have been deactivated since, or may have blocked the agent.
		const unreachable = step.body?.recipientId === undefined ? [] : [400, 403];
		if ([200, 201, ...unreachable].includes(status)) return;
		throw this.#failure(
			`${step.method} ${step.path} was suggested by ${call.operation}, but answered ${status} ${text}`,
		);
	}
}
