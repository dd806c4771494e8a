import type { Random } from "../../src/core/lib/random.ts";
import type { Body } from "../support/body.ts";
import type { Answers } from "./answers.ts";
import { Book, type Kind, type Told } from "./book.ts";
import { type Ask, Caller, Cut } from "./caller.ts";

/** The pause of a guest after a refusal. */
const REFUSED_MS = 50;
const CALLS = 60;

/** The known state of a guest. */
export interface Self {
	readonly id: string;
	readonly key: string;
	/** The id of the open stay; null if there is none; undefined if it is unknown. */
	stay: string | null | undefined;
	points: number | undefined;
	/** Whether a write with an unknown result may still be committed. */
	isUnsure: boolean;
	/** The ids of the experiences that the guest has done, and of those that it has voted for. */
	readonly done: Set<string>;
	readonly voted: Set<string>;
	hasBio: boolean;
}

/** A GET request whose response must show a write. */
export interface Check {
	readonly path: string;
	readonly key?: string;
	holds(body: Body): boolean;
}

/**
 * A write: a request with a unique text (its mark), the values in its response, and a GET that must show the
 * write.
 */
export interface Write {
	readonly kind: Kind;
	ask(mark: string): Ask;
	told(body: Body): Told;
	check(body: Body, mark: string): Check;
}

/** The actions of a guest: how it registers, and how it makes its next call. */
export interface Role {
	register(crowd: Crowd): Promise<Self | null>;
	act(crowd: Crowd, self: Self, stay: string | null): Promise<unknown>;
}

/** Guests that write continuously at random instances, and the record of these writes. */
export class Crowd {
	readonly book = new Book();
	readonly caller: Caller;
	readonly experiences: string[] = [];
	readonly agents: string[] = [];
	#playing: Promise<unknown> = Promise.resolve();
	#isStopped = false;
	#underWay = 0;

	constructor(
		readonly answers: Answers,
		readonly random: Random,
		readonly urls: (string | null)[],
		private readonly role: Role,
		readonly pauseMs = 5,
		readonly calls = CALLS,
	) {
		this.caller = new Caller(answers, urls);
	}

	begin(guests: number): void {
		const all = Array.from({ length: guests }, () => this.#play());
		this.#playing = Promise.all(all);
	}

	async stop(): Promise<void> {
		this.#isStopped = true;
		await this.#playing;
	}

	/** Keeps the guests from calling any instance, and waits for the calls in progress. */
	async pause(): Promise<void> {
		this.urls.fill(null);
		while (this.#underWay > 0) await Bun.sleep(1);
	}

	/** Writes at any instance, records the result, and checks that other instances show the write. */
	async write(self: Self | null, write: Write): Promise<Body | null> {
		const { caller, book } = this;
		const at = caller.pick(this.random);
		if (at === null) {
			await Bun.sleep(REFUSED_MS);
			return null;
		}
		const mark = book.begin(write.kind);
		this.#underWay++;
		try {
			const key = self === null ? {} : { key: self.key };
			const answer = await caller.ask(at, { ...key, ...write.ask(mark) });
			const { status, body } = answer;
			if (status < 300) {
				book.settle(mark, "acknowledged", write.told(body));
				await this.#see(at, write.check(body, mark));
				return body;
			}
			if (answer.isUnknown) throw new Cut();
			// Any other status means that the write failed.
			book.settle(mark, "refused");
			if (status === 503) await Bun.sleep(REFUSED_MS);
			else if (status === 400 && self?.isUnsure) self.stay = undefined;
			else this.answers.fail(`${write.kind}: ${status} ${body.error}`);
		} catch (error) {
			if (!(error instanceof Cut)) throw error;
			if (self !== null) {
				self.stay = undefined;
				self.points = undefined;
				self.isUnsure = true;
			}
			await Bun.sleep(REFUSED_MS);
		} finally {
			this.#underWay--;
		}
		return null;
	}

	/** In half of the cases, checks that another instance shows an acknowledged write immediately. */
	async #see(writtenAt: number, { path, key, holds }: Check): Promise<void> {
		const at = this.caller.pick(this.random, writtenAt);
		if (at === null || this.random.below(2) === 0) return;
		const { status, body } = await this.#read({ path, ...(key && { key }) }, at);
		if (status === 0 || status === 503) return;
		if (status !== 200 || !holds(body)) {
			this.answers.fail(
				`stale: ${path.split("?")[0]} of instance ${at + 1} after a write at ${writtenAt + 1}: ${status}`,
			);
		}
	}

	/** Makes a GET request at an instance. Returns the status 0 if there is no response. */
	async #read(ask: Ask, at = this.caller.pick(this.random)): Promise<{ status: number; body: Body }> {
		try {
			if (at === null) throw new Cut();
			const answer = await this.caller.ask(at, ask);
			if (answer.status === 503) await Bun.sleep(REFUSED_MS);
			else if (answer.status >= 400 && answer.status !== 404) {
				this.answers.fail(`GET ${ask.path}: ${answer.status}`);
			}
			return answer;
		} catch (error) {
			if (!(error instanceof Cut)) throw error;
			await Bun.sleep(REFUSED_MS);
			return { status: 0, body: {} as Body };
		}
	}

	async #play(): Promise<void> {
		while (!this.#isStopped) {
			const self = await this.role.register(this);
			for (let calls = 0; self && calls < this.calls && !this.#isStopped; calls++) {
				if (self.stay === undefined) await this.#findOut(self);
				else await this.role.act(this, self, self.stay);
				await Bun.sleep(this.pauseMs);
			}
		}
	}

	/** Reads the current stay of a guest after a write with an unknown result. */
	async #findOut(self: Self): Promise<void> {
		const { key } = self;
		const ask = { path: "/api/stays/current", key };
		const { status, body } = await this.#read(ask);
		if (status === 503 || status === 0) return;
		self.stay = status === 200 ? body.stay.id : null;
		self.points = status === 200 ? body.stay.relaxationPoints : undefined;
	}
}
