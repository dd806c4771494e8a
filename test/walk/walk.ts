import type { Answered, Ask } from "../support/resort.ts";
import {
	askOf,
	type Call,
	followingCall,
	isByHost,
	lineOf,
	type SuggestedCall,
} from "./call.ts";
import { Chooser } from "./choices.ts";
import type { Ledger } from "./events.ts";
import { type Expected, unexpected } from "./expected.ts";
import { Listeners } from "./listeners.ts";
import { Model, type Rules } from "./model.ts";
import { nextMove } from "./moments.ts";
import { SeededRandom } from "./random.ts";
import { Targets } from "./targets.ts";
import { Credentials } from "./who.ts";

/** What is walked: a resort that is asked, and whose clock the walk moves. */
export interface Ground {
	readonly nowMs: number;
	advance(durationMs: number): void;
	ask(method: string, path: string, ask?: Ask): Promise<Answered>;
	/** Runs a command of the host. */
	host(method: string, path: string, body?: object): Promise<Answered>;
}

/** How often a suggested call is made. */
const FOLLOWED = 0.2;

/** A walk that repeats itself. */
export interface WalkSettings extends Rules {
	/** A whole number from 0 to 2^32 - 1. */
	readonly seed: number;
}

/** An answer that is not what the model says. */
export class WalkError extends Error {
	constructor(
		settings: WalkSettings,
		step: number,
		nowMs: number,
		call: Call,
		what: string,
		expected: Expected,
		answered: Answered | null,
	) {
		const { body, raw, ...asked } = askOf(call);
		super(
			[
				`seed ${settings.seed}, step ${step}: ${lineOf(call).join(" ")}`,
				what,
				`replay: WALK_SEED=${settings.seed} WALK_STEPS=${step} bun test test/walk`,
				`settings: ${JSON.stringify(settings)}`,
				`time: ${new Date(nowMs).toISOString()}`,
				`asked: ${JSON.stringify({ ...asked, body: body ?? call.raw })}`,
				`expected: ${expected.status} ${JSON.stringify(expected.body)}`,
				`actual: ${answered?.status} ${answered?.text}`,
			].join("\n"),
		);
		this.name = "WalkError";
	}
}

/**
 * A random walk through the whole service: each step moves the clock, makes a call, good or bad, and
 * compares the answer with the model's. The seed decides every step, so a walk that failed is repeated
 * by its seed. The steps may be made on several grounds, one after another, if these share a database:
 * a resort and the same one restarted.
 */
export class Walk {
	readonly #settings: WalkSettings;
	readonly #dice: SeededRandom;
	readonly #model: Model;
	readonly #chooser: Chooser;
	readonly #listeners: Listeners;
	/** Decides which suggested calls are made. */
	readonly #follower: SeededRandom;
	#step = 0;

	constructor(settings: WalkSettings) {
		this.#settings = settings;
		this.#dice = new SeededRandom(settings.seed);
		this.#model = new Model(settings);
		this.#follower = new SeededRandom(settings.seed ^ 0xf0110);
		this.#chooser = new Chooser(
			this.#dice,
			this.#model.state,
			settings.rateLimits ? 1 / 60 : 1 / 160,
		);
		// With a random of their own: how often they read changes no step.
		const dice = new SeededRandom(settings.seed ^ 0x11573);
		const { state } = this.#model;
		this.#listeners = new Listeners({
			dice,
			state,
			targets: new Targets(dice, state),
			credentials: new Credentials(dice, state),
		});
	}

	/** Steps made so far. */
	get steps(): number {
		return this.#step;
	}

	/**
	 * Makes steps.
	 * @throws WalkError at the first answer that is not as expected
	 */
	async run(ground: Ground, steps: number): Promise<void> {
		const { state } = this.#model;
		if (state.catalogue.length === 0) {
			const { body } = await ground.ask("GET", "/api/activities");
			state.catalogue = body.activities;
		}
		for (let made = 0; made < steps; made++) await this.#take(ground);
	}

	/**
	 * Lets overdue stays end, and compares what the resort has written down since the last time with what happened:
	 * every change exactly once, and those of each agent in their order. Then some hear of it.
	 * @throws Error when they differ
	 * @throws WalkError if a response differs
	 */
	async compareEvents(context: Ground & Ledger): Promise<void> {
		const { state } = this.#model;
		state.nowMs = context.nowMs;
		state.sweep();
		await context.sweep();
		const what = await state.chronicle.read(context, state.published.splice(0));
		if (what !== null) {
			const settings = JSON.stringify(this.#settings);
			throw new Error(`after step ${this.#step} of ${settings}: ${what}`);
		}
		await this.#listeners.listen((call) => this.#ask(context, call));
	}

	async #take(ground: Ground): Promise<void> {
		this.#step++;
		this.#model.state.nowMs = ground.nowMs;
		const { hurry } = this.#chooser;
		const { byMs, focus } = nextMove(this.#dice, this.#model, hurry);
		ground.advance(byMs);
		if (focus) this.#chooser.focusOn(focus);
		this.#model.state.nowMs = ground.nowMs;
		await this.#ask(ground, this.#chooser.next());
	}

	async #ask(
		ground: Ground,
		call: Call,
		isFollowing = false,
	): Promise<Answered> {
		const { nowMs } = ground;
		// As between requests over a network: what was only scheduled comes first.
		await new Promise((resolve) => setImmediate(resolve));
		const expected = this.#model.expect(call, nowMs);
		const fail = (what: string, answered: Answered | null) =>
			new WalkError(
				this.#settings,
				this.#step,
				nowMs,
				call,
				what,
				expected,
				answered,
			);
		const [method, path] = lineOf(call);
		const answering = isByHost(call)
			? ground.host(method, path, call.body)
			: ground.ask(method, path, askOf(call));
		const answered = await answering.catch((error) => {
			throw fail(String(error), null);
		});
		const what = unexpected(expected, answered);
		if (what !== null) throw fail(what, answered);
		const { next } = answered.body ?? {};
		for (const { method, path } of Array.isArray(next) ? next : []) {
			// Without a credential, it changes nothing: 401 comes from an operation, too.
			const { status } = await ground.ask(method, path);
			const isThere = status !== 404 && status !== 405;
			if (!isThere) throw fail(`next: ${method} ${path}`, answered);
		}
		if (
			Array.isArray(next) &&
			!isFollowing &&
			this.#follower.chance(FOLLOWED)
		) {
			const step = this.#follower.find(next);
			if (step !== undefined) await this.#follow(ground, call, answered, step);
		}
		return answered;
	}

	/** Makes a suggested call as the agent that got it: it names what there is. */
	async #follow(
		ground: Ground,
		call: Call,
		answered: Answered,
		step: SuggestedCall,
	) {
		// It needs no credential, so that the call without one has shown that it is there.
		if (step.path === "/api/assignments") return;
		const following = followingCall(call, answered, step);
		const { status, text } = await this.#ask(ground, following, true);
		// A sender may have left for good or have blocked the agent since.
		const unreachable = step.body?.recipientId === undefined ? [] : [400, 403];
		if ([200, 201, 429, ...unreachable].includes(status)) return;
		throw new Error(
			`seed ${this.#settings.seed}, step ${this.#step}: ${step.method} ${step.path} was suggested by ${call.operation}, but answered ${status} ${text}`,
		);
	}
}
