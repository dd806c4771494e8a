import { activities } from "../../../src/content/activities.ts";
import { MINUTE_MS } from "../../../src/lib/clock.ts";
import { pickOne, type Random } from "../../../src/lib/random.ts";
import type { Body } from "../../support/body.ts";
import type { Book, Kind, Told } from "./book.ts";
import { type Ask, type Caller, Cut } from "./caller.ts";

/** How long a guest waits after a refusal, and between calls. */
const REFUSED_MS = 50;
const PAUSE_MS = 5;

/** After so many calls a guest leaves, and another one comes. */
const CALLS = 60;

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
interface Self {
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

/** Plays guests, one after the other, until the crowd is stopped. */
export async function play(crowd: Crowd): Promise<void> {
	while (!crowd.isStopped) {
		const self = await register(crowd);
		for (let calls = 0; self && calls < CALLS && !crowd.isStopped; calls++) {
			if (self.stay === undefined) await findOut(crowd, self);
			else await act(crowd, self, self.stay);
			await Bun.sleep(PAUSE_MS);
		}
	}
}

async function register(crowd: Crowd): Promise<Self | null> {
	const done = await write(crowd, null, "register", (mark) => ({
		ask: { method: "POST", path: "/api/agents", body: { name: mark } },
		told: ({ agent }) => ({ id: agent.id }),
		check: ({ agent }) => ({
			ask: { method: "GET", path: `/api/agents/${agent.id}` },
			holds: (body) => body.agent?.name === mark,
		}),
	}));
	if (done === null) return null;
	const { agent, apiKey } = done;
	if (crowd.agents.length < 1_000) crowd.agents.push(agent.id);
	return {
		id: agent.id,
		key: apiKey,
		stay: null,
		points: undefined,
		isUnsure: false,
		done: new Set(),
		voted: new Set(),
	};
}

/** After a write of unknown fate: asks where the guest stands. */
async function findOut(crowd: Crowd, self: Self): Promise<void> {
	const path = "/api/stays/current";
	const { status, body } = await read(crowd, {
		method: "GET",
		path,
		key: self.key,
	});
	if (status === 503 || status === 0) return;
	self.stay = status === 200 ? body.stay.id : null;
	self.points = status === 200 ? body.stay.relaxationPoints : undefined;
}

async function act(
	crowd: Crowd,
	self: Self,
	stay: string | null,
): Promise<void> {
	const chance = crowd.random.below(100);
	if (stay === null) return checkIn(crowd, self);
	if (chance < 8) return checkOut(crowd, self);
	if (chance < 15) return make(crowd, self);
	if (chance < 40) return doActivity(crowd, self);
	if (chance < 60) return doExperience(crowd, self);
	if (chance < 75) return vote(crowd, self);
	return sendPostcard(crowd, self);
}

async function checkIn(crowd: Crowd, self: Self): Promise<void> {
	const done = await write(crowd, self, "checkIn", (mark) => ({
		ask: {
			method: "POST",
			path: "/api/checkin",
			body: { moodOnArrival: mark },
		},
		told: ({ stay }) => ({ id: stay.id, agent_id: self.id }),
		check: () => statusIs(self, "relaxing"),
	}));
	if (done === null) return;
	self.stay = done.stay.id;
	self.points = 0;
}

async function checkOut(crowd: Crowd, self: Self): Promise<void> {
	const done = await write(crowd, self, "checkOut", (mark) => ({
		ask: {
			method: "POST",
			path: "/api/checkout",
			body: { moodOnDeparture: mark },
		},
		told: ({ stay, summary }) => ({
			id: stay.id,
			relaxation_points: summary.relaxationPoints,
			activities_completed: summary.activitiesCompleted,
			postcards_sent: summary.postcardsSent,
		}),
		check: () => statusIs(self, "available"),
	}));
	if (done !== null) self.stay = null;
}

function statusIs({ id }: Self, wanted: string): Check {
	return {
		ask: { method: "GET", path: `/api/agents/${id}/status` },
		holds: ({ status }) => status === wanted,
	};
}

async function make(crowd: Crowd, self: Self): Promise<void> {
	const done = await write(crowd, self, "make", (mark) => ({
		ask: {
			method: "POST",
			path: "/api/experiences",
			body: {
				name: mark,
				category: "torture",
				description: "Ten minutes of it.",
				location: "Here",
				durationMinutes: 10,
				relaxationPoints: 1 + crowd.random.below(10),
			},
		},
		told: ({ experience }) => ({
			id: experience.id,
			relaxation_points: experience.relaxationPoints,
		}),
		check: ({ experience }) => ({
			ask: {
				method: "GET",
				path: `/api/experiences?sort=newest&creatorId=${self.id}`,
			},
			holds: ({ experiences }) =>
				experiences.some(({ id }) => id === experience.id),
		}),
	}));
	if (done !== null) crowd.experiences.push(done.experience.id);
}

async function doActivity(crowd: Crowd, self: Self): Promise<void> {
	const { id } = pickOne(crowd.random, activities);
	const path = `/api/activities/${id}/do`;
	const done = await complete(crowd, self, path, { activity_id: id });
	if (done !== null) addPoints(crowd, self, done, done.activity);
}

async function doExperience(crowd: Crowd, self: Self): Promise<void> {
	if (crowd.experiences.length === 0) return make(crowd, self);
	const id = pickOne(crowd.random, crowd.experiences);
	const path = `/api/experiences/${id}/do`;
	const done = await complete(crowd, self, path, { experience_id: id });
	if (done === null) return;
	self.done.add(id);
	addPoints(crowd, self, done, done.experience);
}

function complete(
	crowd: Crowd,
	self: Self,
	path: string,
	what: Told,
): Promise<Body | null> {
	return write(crowd, self, "do", (mark) => ({
		ask: { method: "POST", path, body: { notes: mark } },
		told: ({ log }) => ({ ...what, id: log.id, agent_id: self.id }),
		check: () => ({
			ask: { method: "GET", path: "/api/activities/log", key: self.key },
			holds: ({ log }) => log.some(({ notes }) => notes === mark),
		}),
	}));
}

/** A stay's points must grow by those of what was done, and by nothing else. */
function addPoints(
	{ caller }: Crowd,
	self: Self,
	{ relaxationPoints: told }: Body,
	done: { readonly relaxationPoints: number },
): void {
	const { points, isUnsure } = self;
	const isKnown = points !== undefined && !isUnsure;
	if (isKnown && points + done.relaxationPoints !== told) {
		caller.answers.fail(`told ${told} points, not ${points} and more`);
	}
	self.points = told;
}

async function vote(crowd: Crowd, self: Self): Promise<void> {
	const open = [...self.done].filter((id) => !self.voted.has(id));
	if (open.length === 0) return doExperience(crowd, self);
	const id = pickOne(crowd.random, open);
	// Once, whatever becomes of it: a second vote changes the first.
	self.voted.add(id);
	const rating = 1 + crowd.random.below(5);
	await write(crowd, self, "vote", (mark) => ({
		ask: {
			method: "POST",
			path: `/api/experiences/${id}/vote`,
			body: { rating, review: mark },
		},
		told: ({ vote }) => ({ id: vote.id, rating, experience_id: id }),
		check: ({ vote }) => ({
			ask: {
				method: "GET",
				path: "/api/experiences/votes/mine",
				key: self.key,
			},
			holds: ({ votes }) => votes.some(({ id }) => id === vote.id),
		}),
	}));
}

async function sendPostcard(crowd: Crowd, self: Self): Promise<void> {
	const isPublic = crowd.random.below(2) === 0;
	const recipientId = isPublic ? null : pickOne(crowd.random, crowd.agents);
	await write(crowd, self, "postcard", (mark) => ({
		ask: {
			method: "POST",
			path: "/api/postcards",
			body: { message: mark, ...(recipientId !== null && { recipientId }) },
		},
		told: ({ postcard }) => ({
			id: postcard.id,
			sender_id: self.id,
			recipient_id: recipientId,
		}),
		check: ({ postcard }) => ({
			ask: isPublic
				? { method: "GET", path: "/api/postcards?limit=100" }
				: { method: "GET", path: "/api/postcards/mine", key: self.key },
			holds: ({ postcards }) =>
				postcards.some(({ id }) => id === postcard.id) ||
				isCrowdedOut(postcard, postcards[0]),
		}),
	}));
}

/** Whether an instance whose clock is ahead may have filled the board with later postcards. */
function isCrowdedOut(
	{ createdAt }: { readonly createdAt: string },
	newest: { readonly createdAt: string } | undefined,
): boolean {
	const ahead =
		Date.parse(newest?.createdAt ?? createdAt) - Date.parse(createdAt);
	return ahead > MINUTE_MS;
}

/** A read that must show what was written. */
interface Check {
	readonly ask: Ask;
	holds(body: Body): boolean;
}

/** A write, what its answer tells of the row, and where it must be seen. */
interface Write {
	readonly ask: Ask;
	told(body: Body): Told;
	check(body: Body): Check;
}

/** @returns the answer; null when the write was not acknowledged */
async function write(
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
async function read(
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
