import { experienceReflections, ownExperienceReflections } from "../../../content/experience-reflections.ts";
import { toTimestamp } from "../../lib/clock.ts";
import { call, hint } from "../../lib/hint.ts";
import { pickOne } from "../../lib/random.ts";
import { invalid, ResortError } from "../../lib/resort-error.ts";
import { requireRow } from "../../store/query.ts";
import type { Task } from "../../store/task.ts";
import { getAgent } from "../agents/service.ts";
import { publish } from "../events/publish.ts";
import { type ListPage, readPage } from "../lists.ts";
import { toPage } from "../schemas.ts";
import type { ServiceContext } from "../service-context.ts";
import type { DoBody } from "../stays/model.ts";
import { recordCompletion, requireOpenStay, type Stay } from "../stays/service.ts";
import type { CreateExperienceBody, ExperienceInfo, ExperiencesQuery } from "./model.ts";
import {
	categoryKey,
	countCompletion,
	type ExperienceRow,
	experienceById,
	insertExperience,
	lastOfTooMany,
	lists,
	MAX_ACTIVE,
	offered,
} from "./queries.ts";

/** The default relaxation points of an experience. */
export const USUAL_POINTS = 3;

/**
 * Creates an experience. Call it inside a transaction that has locked the agent.
 * @returns the experience, and the open stay of its creator
 * @throws ResortError `invalid` if the agent is not checked in, or has {@link MAX_ACTIVE} active experiences
 */
export function* createExperience(
	context: ServiceContext,
	agentId: string,
	body: CreateExperienceBody,
): Task<{ experience: ExperienceInfo; stay: Stay }> {
	const { store, clock, random } = context;
	const stay = yield* requireOpenStay(context, agentId);
	const creatorId = agentId;
	if ((yield* lastOfTooMany(store).get({ creatorId })) !== undefined) {
		throw invalid(`You already have ${MAX_ACTIVE} active experiences`, {
			hint: hint`${call("GET /api/experiences", { creatorId: "me", view: "brief" })} lists them; ${call("DELETE /api/experiences/:id")} archives one.`,
		});
	}
	const nowMs = clock();
	const row = requireRow(
		yield* insertExperience(store).get({
			...body,
			id: `exp-${random.uuid(nowMs)}`,
			creatorId,
			categoryKey: categoryKey(body.category),
			relaxationPoints: body.relaxationPoints ?? USUAL_POINTS,
			maxParticipants: body.maxParticipants ?? null,
			createdAt: nowMs,
		}),
	);
	yield* publish(store, { type: "experience.created", at: nowMs, agentId, subjectId: row.id });
	const { name: creatorName } = yield* getAgent(context, agentId);
	return { experience: toInfo({ ...row, creatorName }), stay };
}

/**
 * Lists the active experiences that a query selects. `creatorId` may be in upper or lower case.
 * @param isOwn whether the creator requests the list. The list then includes hidden experiences
 */
export function listExperiences(
	{ store }: ServiceContext,
	{ sort = "rating", category = "", creatorId, ...paging }: ExperiencesQuery,
	isOwn = false,
): Task<ListPage<ExperienceRow>> {
	const key = categoryKey(category);
	const of = lists[sort];
	const ofCreator = isOwn ? [of.own, of.ownInCategory] : [of.creator, of.both];
	const [whole = of.all, inCategory = of.category] = creatorId === undefined ? [] : ofCreator;
	const list = key === "" ? whole : inCategory;
	const values = { category: key, creatorId: creatorId?.toLowerCase() };
	return readPage(store, list, values, toPage(paging));
}

/**
 * Records that an agent does an experience. Call it inside a transaction that has locked the agent.
 * @throws ResortError `not_found`; `invalid` if the agent is not checked in
 */
export function* doExperience(context: ServiceContext, agentId: string, experienceId: string, body: DoBody) {
	const found = yield* getActiveExperience(context, experienceId);
	const { id } = found;
	const stay = yield* requireOpenStay(context, agentId);
	const counted = yield* countCompletion(context.store).get({ id });
	const experience = toInfo(asCounted(found, counted));
	return {
		experience,
		...(yield* recordCompletion(context, stay, { ...experience, activityId: null, experienceId: id }, body)),
		reflection: pickOne(
			context.random,
			experience.creatorId === agentId ? ownExperienceReflections : experienceReflections,
		),
	};
}

/** Returns an active experience. @throws ResortError `not_found` if it is unknown or archived */
export function* getActiveExperience({ store }: ServiceContext, id: string): Task<ExperienceRow> {
	const experience = yield* experienceById(store).get({ id: id.toLowerCase() });
	if (experience === undefined) throw unknownExperience();
	return experience;
}

/**
 * Returns an experience with the values of `counted`, because the experience may have been hidden, erased or
 * archived since it was read.
 * @param counted the row that the update of the experience's counters has locked and returned
 * @throws ResortError `not_found` if the experience is archived
 */
export function asCounted(
	experience: ExperienceRow,
	counted: Partial<ExperienceRow> | undefined,
): ExperienceRow {
	if (counted?.archivedAt !== null) throw unknownExperience();
	return { ...experience, ...counted };
}

function unknownExperience(): ResortError {
	return new ResortError("not_found", "Experience not found", {
		hint: hint`Call ${call("GET /api/experiences", { view: "brief" })} for the ids.`,
	});
}

/** Whether another agent has created an active experience whose id is not `except`. */
export function* isOffered({ store }: ServiceContext, agentId: string, except = ""): Task<boolean> {
	return (yield* offered(store).get({ agentId, except })) !== undefined;
}

/** Returns the public representation of an experience. */
export function toInfo(row: Omit<ExperienceRow, "creatorGoneAt">): ExperienceInfo {
	const { createdAt, ratingSum, totalVotes } = row;
	return {
		...row,
		createdAt: toTimestamp(createdAt),
		avgRating: totalVotes === 0 ? null : Math.round((ratingSum * 100) / totalVotes) / 100,
	};
}
