import type { Random } from "../../../src/lib/random.ts";
import type { Body } from "../../support/body.ts";
import type { Book, Kind, Told } from "./book.ts";
import { type Ask, type Caller, Cut } from "./caller.ts";

/** How long a guest waits after a refusal. */
const REFUSED_MS = 50;

/** What all guests share. */
export interface Crowd {
	readonly caller: Caller;
	readonly book: Book;
	readonly random: Random;
	/** Experiences that anybody may do. */
	readonly experiences: string[];
	/** Agents that postcards may be sent to. */
	readonly agents: string[];
	isStopped: boolean;
	marks: number;
}

/** The state of a guest, as far as it is known. */
export interface Self {
	readonly id: string;
	readonly key: string;
	/** The open stay; null when there is none, undefined when that is not known. */
	stay: string | null | undefined;
	points: number | undefined;
	/** Whether a write of unknown fate may still come true. */
	isUnsure: boolean;
	/** Experiences that it has done, and those that it has voted for. */
	readonly done: Set<string>;
	readonly voted: Set<string>;
}

/** A read that must show what was written. */
export interface Check {
	readonly ask: Ask;
	holds(body: Body): boolean;
}

/** A write, what its answer tells of the row, and where it must be seen. */
export interface Write {
	readonly ask: Ask;
	told(body: Body): Told;
	check(body: Body): Check;
}

/**
 * Writes at any instance, notes what became of it, and looks whether it is seen.
 * @returns the answer; null when the write was not acknowledged
 */
export async function write(
	crowd: Crowd,
	self: Self | null,
	kind: Kind,
	plan: (mark: string) => Write,
): Promise<Body | null> {
	const { caller, book, random } = crowd;
	const at = caller.pick(random);
	if (at === null) {
		await Bun.sleep(REFUSED_MS);
		return null;
	}
	const mark = `m${crowd.marks++}`;
	const { ask, told, check } = plan(mark);
	book.begin(kind, mark);
	try {
		const key = self === null ? {} : { key: self.key };
		const answer = await caller.ask(at, { ...key, ...ask });
		const { status, body } = answer;
		if (status < 300) {
			book.settle(mark, "acknowledged", told(body));
			await seen(crowd, at, check(body));
			return body;
		}
		if (answer.isUnknown) throw new Cut();
		// Whatever else it says, it is no success.
		book.settle(mark, "refused");
		if (answer.isRefused) await Bun.sleep(REFUSED_MS);
		else if (status === 400 && self?.isUnsure) self.stay = undefined;
		else caller.answers.fail(`${kind}: ${status} ${body.error}`);
	} catch (error) {
		if (!(error instanceof Cut)) throw error;
		if (self !== null) {
			self.stay = undefined;
			self.points = undefined;
			self.isUnsure = true;
		}
		await Bun.sleep(REFUSED_MS);
	}
	return null;
}

/** Every other time: another instance must show at once what one has acknowledged. */
async function seen(
	crowd: Crowd,
	writtenAt: number,
	{ ask, holds }: Check,
): Promise<void> {
	const { caller, random } = crowd;
	const at = caller.pick(random, writtenAt);
	if (at === null || random.below(2) === 0) return;
	const { status, body } = await read(crowd, ask, at);
	if (status === 0 || status === 503) return;
	if (status !== 200 || !holds(body)) {
		caller.answers.fail(
			`stale: ${ask.path.split("?")[0]} of instance ${at + 1} after a write at ${writtenAt + 1}: ${status}`,
		);
	}
}

/** Reads at an instance; status 0 when no answer came. */
export async function read(
	{ caller, random }: Crowd,
	ask: Ask,
	at = caller.pick(random),
): Promise<{ status: number; body: Body }> {
	try {
		if (at === null) throw new Cut();
		const answer = await caller.ask(at, ask);
		if (answer.status === 503) await Bun.sleep(REFUSED_MS);
		else if (answer.status >= 400 && answer.status !== 404) {
			caller.answers.fail(`${ask.method} ${ask.path}: ${answer.status}`);
		}
		return answer;
	} catch (error) {
		if (!(error instanceof Cut)) throw error;
		await Bun.sleep(REFUSED_MS);
		return { status: 0, body: {} as Body };
	}
}
