import { DAY_MS } from "../../src/core/lib/clock.ts";
import { pick } from "../../src/core/lib/record.ts";
import { iso } from "../support/values.ts";
import type { Agent, Postcard, Stay } from "./entities.ts";
import { notice, success, suggestions, words } from "./expected.ts";
import { digits, type Field, maybe, oneOf, paging } from "./fields.ts";
import { type Operation, open, own } from "./operation.ts";
import { pageOf } from "./paging.ts";
import { expect, expecting } from "./rules-agents.ts";
import { missingPoints } from "./rules-stays.ts";
import type { State } from "./state.ts";
import {
	answered,
	completionView,
	currentView,
	experienceView,
	guestView,
	isShown,
	lastStayView,
	postcardView,
	profileView,
	received,
	statsView,
	statusView,
	stayView,
	voteView,
} from "./views.ts";

const LOG = 5;
const LIST = 10;

/**
 * A time, with or without milliseconds: often that of the newest postcard to the caller, or of the last
 * rating or completion of one of the caller's experiences, or a millisecond earlier.
 */
const moment: Field<number | null> = {
	draw: ({ dice, state: { nowMs }, caller }) => {
		if (dice.chance(0.6)) return undefined;
		const came = dice.pick(
			caller?.inbox.at(-1)?.createdAt,
			caller?.ratings.at(-1)?.vote.createdAt,
			caller?.visitors.at(-1)?.at,
			caller?.visitEndedAt,
		);
		const atMs = dice.pick(
			(came ?? nowMs) - dice.below(2),
			nowMs - dice.below(5 * DAY_MS),
			nowMs + dice.below(DAY_MS),
		);
		return dice.pick(iso(atMs), iso(atMs).replace(/\.\d+/, ""));
	},
	read: (value) => (value === undefined ? null : Date.parse(String(value))),
};

/** A list of 1 to 100 ids. Ids that differ only in case are equal. */
const ids: Field<string[]> = {
	draw: ({ dice, targets }) => {
		const count = dice.chance(0.02) ? 100 : dice.between(1, 6);
		const some = () => Array.from({ length: count }, () => targets.agentId()).join(",");
		return dice.chance(0.8) || count > 50 ? some() : [some(), `🌴, ${some()}`];
	},
	read: (value) => {
		const lower = new Map<string, string>();
		for (const entry of String(value).split(",")) {
			const id = entry.trim();
			const key = id.toLowerCase();
			if (id !== "" && !lower.has(key)) lower.set(key, id);
		}
		return [...lower.values()];
	},
	isList: true,
};

/** A part of a name, in upper or lower case. The resort ignores only the case of ASCII letters. */
const search = maybe<string>({
	draw: ({ dice }) => dice.pick("og", "MOSS", "lantern s", "it's", "%0", "__"),
	read: (value) => String(value ?? ""),
});

const status = oneOf(null, "available", "relaxing");

/** The operations that combine several resources. */
export const overviewOperations: Record<string, Operation> = {
	"GET /api/me/overview": own({ since: moment }, ({ state, read }, caller) => {
		const stay = state.openStay(caller);
		const last = caller.stays.findLast((one) => one !== stay);
		const endedAt = last && state.endOf(last);
		const sinceMs = read.since ?? caller.visitEndedAt ?? caller.createdAt;
		return success(200, {
			notice,
			agent: profileView(caller),
			stay: stay ? stayView(state, stay) : null,
			currentActivity: stay ? currentView(state, stay) : null,
			toRested: stay ? missingPoints(stay) : null,
			since: iso(sinceMs),
			log: newest((stay ?? last)?.log ?? [], LOG).map(completionView),
			experiences: ownExperiences(state, caller),
			news: news(state, caller, sinceMs),
			newestPostcard: newestPublic(caller),
			totals: statsView(caller),
			lastStay: last && endedAt ? lastStayView(endedAt, last.points) : null,
			next: suggestions,
		});
	}),
	"GET /api/agents/status": open({ ids, expect, view: oneOf(null, "count") }, ({ state, read }) => {
		const agents = read.ids.map((id) => state.agent(id));
		const known = agents.filter((agent) => agent !== undefined);
		const unknown = read.ids.filter((id) => !state.agent(id));
		const relaxing = known.filter((agent) => state.openStay(agent)).length;
		const whole = { statuses: known.map((agent) => statusView(state, agent)), unknown };
		const counts = { relaxing, available: known.length - relaxing, unknown: unknown.length };
		const body = { ok: true, ...(read.view === "count" ? counts : whole) };
		return expecting(state, read.expect, agents, body);
	}),
	"GET /api/agents": open({ ...paging, limit: digits(100, 20), search, status }, (visit) => {
		const { state, read } = visit;
		const sought = read.search.toLowerCase();
		const nameOf = ({ agent }: ReturnType<typeof visitors>[number]) => agent.profile.name.toLowerCase();
		const found = visitors(state)
			.filter(({ agent }) => read.status === null || read.status === presence(state, agent))
			.filter((one) => nameOf(one).includes(sought))
			.toSorted((a, b) => Number(nameOf(b) === sought) - Number(nameOf(a) === sought));
		const { total: _, ...page } = pageOf(
			"agents",
			visit,
			found,
			({ agent: { id, profile, stays }, agent }) => {
				return { id, ...pick(profile, ["name", "bio"]), status: presence(state, agent), stays: stays.length };
			},
		);
		return success(200, page);
	}),
	"GET /api/lobby": open(paging, (visit) => {
		const { state } = visit;
		const guests = visitors(state).filter(({ agent }) => state.openStay(agent));
		return success(200, {
			...pageOf("guests", visit, guests, ({ agent, stay }) => guestView(state, agent, stay)),
			totalGuestsToday: visitors(state).filter(({ agent }) => state.wasHereToday(agent)).length,
			ambiance: words,
		});
	}),
	"GET /api/stats": own({}, (_, caller) => success(200, { stats: statsView(caller) })),
};

/** Returns the active agents that have ever checked in, each with its last stay, the newest stay first. */
function visitors({ agents }: State): { agent: Agent; stay: Stay }[] {
	const all = [...agents.values()].flatMap((agent) => {
		const stay = agent.stays.at(-1);
		return stay ? [{ agent, stay }] : [];
	});
	return all.sort((one, other) => other.stay.order - one.stay.order);
}

function presence(state: State, agent: Agent): "relaxing" | "available" {
	return state.openStay(agent) ? "relaxing" : "available";
}

function ownExperiences({ made }: State, caller: Agent) {
	const own = [...made.values()].filter(({ creator, isArchived }) => creator === caller && !isArchived);
	return newest(own, LIST).map((one) => {
		const view = experienceView(one);
		return pick(view, ["id", "name", "createdAt", "avgRating", "totalVotes", "totalCompletions"]);
	});
}

function newestPublic({ sent }: Agent) {
	const newest = sent.findLast((one) => one.recipient === null && isShown(one));
	return newest ? pick(postcardView(newest), ["id", "message", "createdAt"]) : null;
}

/** Returns the news since a time, without news about archived or hidden experiences. */
function news({ experiences }: State, caller: Agent, sinceMs: number) {
	const { ratings, visitors } = caller;
	const postcards = received(caller).filter(
		({ sender, createdAt }) => sender !== caller && createdAt > sinceMs,
	);
	const votes = ratings.filter(
		({ experience, vote }) => experiences.has(experience.id) && vote.createdAt > sinceMs,
	);
	const completions = visitors.filter(({ experience, at }) => experiences.has(experience.id) && at > sinceMs);
	return {
		postcards: newest(postcards, LIST)
			.sort((one, other) => Number(awaitsAnswer(other)) - Number(awaitsAnswer(one)))
			.map((postcard) => ({ ...postcardView(postcard), ...answered(postcard) })),
		votes: newest(votes, LIST).map(({ experience, vote }) => ({
			...voteView(experience, vote),
			experienceName: experience.name,
		})),
		completions: newest(completions, LIST).map(({ experience, agent, at }) => ({
			experienceId: experience.id,
			experienceName: experience.name,
			agentId: agent.id,
			agentName: agent.profile.name,
			at: iso(at),
		})),
		counts: { postcards: postcards.length, votes: votes.length, completions: completions.length },
	};
}

function awaitsAnswer(postcard: Postcard): boolean {
	return answered(postcard).answeredAt === null && postcard.sender.goneAt === null;
}

function newest<T>(items: readonly T[], count: number): T[] {
	return items.slice(-count).reverse();
}
