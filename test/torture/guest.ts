import { activities } from "../../src/content/activities.ts";
import { MINUTE_MS } from "../../src/core/lib/clock.ts";
import { pickOne } from "../../src/core/lib/random.ts";
import type { Body } from "../support/body.ts";
import { fogBathing } from "../support/values.ts";
import type { Told } from "./book.ts";
import type { Check, Crowd, Role, Self } from "./crowd.ts";

/** A guest that registers, checks in and out, does, creates and rates experiences, and sends postcards. */
export const guest: Role = {
	async register(crowd) {
		const done = await crowd.write(null, {
			kind: "register",
			ask: (name) => ({ path: "/api/agents", body: { name } }),
			told: ({ agent }) => ({ id: agent.id }),
			check: ({ agent }, mark) => ({
				path: `/api/agents/${agent.id}`,
				holds: (body) => body.agent?.name === mark,
			}),
		});
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
			hasBio: false,
		};
	},

	act(crowd, self, stay) {
		const chance = crowd.random.below(100);
		if (stay === null) return checkIn(crowd, self);
		if (!self.hasBio && chance < 5) return changeProfile(crowd, self);
		if (chance < 8) return checkOut(crowd, self);
		if (chance < 15) return make(crowd, self);
		if (chance < 40) return doActivity(crowd, self);
		if (chance < 60) return doExperience(crowd, self);
		if (chance < 75) return vote(crowd, self);
		return sendPostcard(crowd, self);
	},
};

const post = (path: string, body: object) => ({ path, body });

async function changeProfile(crowd: Crowd, self: Self): Promise<void> {
	const { id } = self;
	// The bio is changed only once, because the check at the end looks for the text of each write.
	self.hasBio = true;
	await crowd.write(self, {
		kind: "profile",
		ask: (bio) => ({ method: "PATCH", path: "/api/me", body: { bio } }),
		told: () => ({ id }),
		check: (_, mark) => ({ path: `/api/agents/${id}`, holds: ({ agent }) => agent.bio === mark }),
	});
}

async function checkIn(crowd: Crowd, self: Self): Promise<void> {
	const done = await crowd.write(self, {
		kind: "checkIn",
		ask: (moodOnArrival) => post("/api/checkin", { moodOnArrival }),
		told: ({ stay }) => ({ id: stay.id, agent_id: self.id }),
		check: () => statusIs(self, "relaxing"),
	});
	if (done === null) return;
	self.stay = done.stay.id;
	self.points = 0;
}

async function checkOut(crowd: Crowd, self: Self): Promise<void> {
	const done = await crowd.write(self, {
		kind: "checkOut",
		ask: (moodOnDeparture) => post("/api/checkout", { moodOnDeparture }),
		told: ({ stay, summary }) => ({
			id: stay.id,
			relaxation_points: summary.relaxationPoints,
			activities_completed: summary.activitiesCompleted,
			experiences_completed: summary.experiencesCompleted,
			postcards_sent: summary.postcardsSent,
		}),
		check: () => statusIs(self, "available"),
	});
	if (done !== null) self.stay = null;
}

function statusIs({ id }: Self, expected: string): Check {
	return { path: `/api/agents/${id}/status`, holds: ({ status }) => status === expected };
}

async function make(crowd: Crowd, self: Self): Promise<void> {
	const done = await crowd.write(self, {
		kind: "make",
		ask: (name) => ({
			path: "/api/experiences",
			body: { ...fogBathing, name, category: "torture", relaxationPoints: 1 + crowd.random.below(10) },
		}),
		told: ({ experience }) => ({
			id: experience.id,
			creator_id: self.id,
			relaxation_points: experience.relaxationPoints,
		}),
		check: ({ experience }) => ({
			path: `/api/experiences?sort=newest&creatorId=${self.id}`,
			holds: ({ experiences }) => experiences.some(({ id }) => id === experience.id),
		}),
	});
	if (done !== null) crowd.experiences.push(done.experience.id);
}

async function doActivity(crowd: Crowd, self: Self): Promise<void> {
	const { id } = pickOne(crowd.random, activities);
	await complete(crowd, self, `/api/activities/${id}/do`, { activity_id: id });
}

async function doExperience(crowd: Crowd, self: Self): Promise<void> {
	if (crowd.experiences.length === 0) return make(crowd, self);
	const id = pickOne(crowd.random, crowd.experiences);
	const path = `/api/experiences/${id}/do`;
	const done = await complete(crowd, self, path, { experience_id: id });
	if (done !== null) self.done.add(id);
}

/** Does an activity or experience. Checks that the points of the stay grow by the points in the response. */
async function complete(crowd: Crowd, self: Self, path: string, told: Told): Promise<Body | null> {
	const done = await crowd.write(self, {
		kind: "do",
		ask: (notes) => post(path, { notes }),
		told: ({ log }) => ({ ...told, id: log.id, agent_id: self.id }),
		check: (_, mark) => ({
			path: "/api/activities/log",
			key: self.key,
			holds: ({ log }) => log.some(({ notes }) => notes === mark),
		}),
	});
	if (done === null) return null;
	const { points, isUnsure } = self;
	const more = (done.activity ?? done.experience).relaxationPoints;
	const { relaxationPoints } = done;
	const isKnown = points !== undefined && !isUnsure;
	if (isKnown && points + more !== relaxationPoints) {
		crowd.answers.fail(`${relaxationPoints} points, not ${points} and ${more}`);
	}
	self.points = relaxationPoints;
	return done;
}

async function vote(crowd: Crowd, self: Self): Promise<void> {
	const open = [...self.done].filter((id) => !self.voted.has(id));
	if (open.length === 0) return doExperience(crowd, self);
	const id = pickOne(crowd.random, open);
	// A guest votes only once, whatever the result, because a second vote replaces the first one.
	self.voted.add(id);
	const rating = 1 + crowd.random.below(5);
	await crowd.write(self, {
		kind: "vote",
		ask: (review) => post(`/api/experiences/${id}/vote`, { rating, review }),
		told: ({ vote }) => ({ id: vote.id, rating, experience_id: id }),
		check: ({ vote }) => ({
			path: "/api/experiences/votes/mine",
			key: self.key,
			holds: ({ votes }) => votes.some(({ id }) => id === vote.id),
		}),
	});
}

async function sendPostcard(crowd: Crowd, self: Self): Promise<void> {
	const isPublic = crowd.random.below(2) === 0;
	const recipientId = isPublic ? null : pickOne(crowd.random, crowd.agents);
	await crowd.write(self, {
		kind: "postcard",
		ask: (message) => ({
			path: "/api/postcards",
			body: { message, ...(recipientId !== null && { recipientId }) },
		}),
		told: ({ postcard }) => ({ id: postcard.id, sender_id: self.id, recipient_id: recipientId }),
		check: ({ postcard }) => ({
			...(isPublic ? { path: "/api/postcards?limit=100" } : { path: "/api/postcards/mine", key: self.key }),
			holds: ({ postcards }) =>
				postcards.some(({ id }) => id === postcard.id) || isCrowdedOut(postcard, postcards[0]),
		}),
	});
}

/** Whether a list may lack a postcard, because instances whose clocks are ahead dated others later. */
function isCrowdedOut(
	{ createdAt }: { readonly createdAt: string },
	newest: { readonly createdAt: string } | undefined,
): boolean {
	const aheadMs = Date.parse(newest?.createdAt ?? createdAt) - Date.parse(createdAt);
	return aheadMs > MINUTE_MS;
}
