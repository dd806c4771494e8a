import { activities } from "../../../src/content/activities.ts";
import { MINUTE_MS } from "../../../src/lib/clock.ts";
import { pickOne } from "../../../src/lib/random.ts";
import type { Body } from "../../support/body.ts";
import type { Told } from "./book.ts";
import { type Check, type Crowd, read, type Self, write } from "./writing.ts";

/** How long a guest waits between calls. */
const PAUSE_MS = 5;

/** After so many calls a guest leaves, and another one comes. */
const CALLS = 60;

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
