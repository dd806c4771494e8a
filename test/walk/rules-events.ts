import { iso } from "../support/values.ts";
import type { Agent, Experience } from "./entities.ts";
import type { Event } from "./events.ts";
import { type Expected, Some, success } from "./expected.ts";
import { digits, type Field, type Fields, maybe } from "./fields.ts";
import { type Operation, open, own } from "./operation.ts";
import type { State } from "./state.ts";
import { HIDDEN, lastStayView, postcardView } from "./views.ts";

/** The fields of an event that depend on its type. */
const fieldsOf: Readonly<Record<string, (state: State, event: Event) => object>> = {
	"agent.relaxing": (_, { details }) => {
		const { checkedInAt = 0, ...room } = details ?? {};
		return { stay: { ...room, checkedInAt: iso(Number(checkedInAt)) } };
	},
	"agent.available": (_, { details }) => {
		const { reason, checkedOutAt, totalRelaxationPoints } = details ?? {};
		if (checkedOutAt === null) return { reason };
		const points = Number(totalRelaxationPoints);
		const lastStay = lastStayView(Number(checkedOutAt), points);
		return { lastStay, reason };
	},
	"agent.gone": () => ({}),
	"agent.did": (_, { details, experience }) => ({
		...details,
		...(experience?.hiddenAt != null && { name: HIDDEN, category: HIDDEN }),
		experienceId: experience?.id ?? null,
	}),
	"experience.created": made,
	"experience.archived": made,
	"experience.rated": (_, { experience, details }) => ({
		experience: { id: experience?.id, name: namesOf(experience).name },
		...details,
	}),
	"postcard.sent": written,
	"postcard.received": written,
};

/** The types of all events. */
export const eventTypes: readonly string[] = Object.keys(fieldsOf);

const since: Field<number | null> = {
	draw: () => undefined,
	read: (value) => (value === undefined ? null : Number(value)),
};

/** A comma-separated list, sometimes as a repeated parameter. */
function entries(draw: Field<unknown>["draw"]): Field<readonly string[] | null> {
	return maybe<readonly string[] | null>({
		draw: (drawer) => {
			const { dice } = drawer;
			const some = Array.from({ length: dice.between(1, 6) }, () => draw(drawer));
			return dice.chance(0.2) ? some : some.join(dice.pick(",", " , ", ",,"));
		},
		read: (value) => {
			if (value === undefined) return null;
			const trimmed = String(value)
				.split(",")
				.map((entry) => entry.trim().toLowerCase());
			return trimmed.filter((entry) => entry !== "");
		},
		isList: true,
	});
}

/** The parameters of the lists of events, except `wait`. */
export const eventsQuery = {
	since,
	limit: digits(100, 100),
	types: entries(({ dice }) => dice.find(eventTypes)),
	ids: entries(({ dice, targets }) => dice.pick(targets.agentId(), "nobody")),
};

/** The operations that list events. */
export const eventOperations: Record<string, Operation> = {
	"GET /api/events": open(eventsQuery, ({ state, read }) =>
		page(state, read, ({ recipient }) => recipient === null),
	),
	"GET /api/me/events": own(eventsQuery, ({ state, read }, caller) =>
		page(state, read, (event) => concerns(event, caller)),
	),
};

/**
 * Whether GET /api/me/events returns an event: a private event for the caller, or a public event that the
 * caller caused or that is about one of the caller's experiences.
 */
function concerns({ type, agent, recipient, experience }: Event, caller: Agent): boolean {
	if (recipient !== null) return recipient === caller;
	const isOnIts = experience?.creator === caller;
	return agent === caller || (isOnIts && (type === "experience.rated" || type === "agent.did"));
}

/** The maximum number of events after `since` that a call examines. */
const MAX_EXAMINED = 5_000;

function page(
	state: State,
	{ since, types, ids, limit }: Fields<typeof eventsQuery>,
	hears: (event: Event) => boolean,
): Expected {
	const { chronicle } = state;
	const { newest } = chronicle;
	const isBeyond = since !== null && since > newest;
	const later = chronicle.events.filter(({ id }) => id > (since ?? newest));
	const examined = later.slice(0, MAX_EXAMINED);
	const fit = examined.filter(
		(event) =>
			(types?.includes(event.type) ?? true) && (ids?.includes(event.agent.id) ?? true) && hears(event),
	);
	const events = fit.slice(0, limit);
	const isFull = events.length === limit;
	const last = isFull ? events.at(-1) : later.length > MAX_EXAMINED ? examined.at(-1) : undefined;
	return success(
		200,
		{
			// Events about hidden postcards and from blocked senders count towards `limit`, but are not returned.
			events: events
				.filter(
					({ agent, recipient, postcard }) => postcard?.hiddenAt == null && !recipient?.blocked.has(agent),
				)
				.map((event) => eventView(state, event)),
			cursor: last === undefined ? atLeast(newest) : String(last.id),
			reset: isBeyond,
		},
		({ body }) => chronicle.pass(Number(body.cursor)),
	);
}

/**
 * A cursor of at least `newest`, the id of the newest event. It may be greater, because ids can be skipped.
 * `Chronicle.read` checks that events which are created later have greater ids than this cursor.
 */
function atLeast(newest: number): Some {
	return new Some(
		`${newest} or more`,
		(value) => typeof value === "string" && /^\d+$/.test(value) && Number(value) >= newest,
	);
}

function eventView(state: State, event: Event) {
	const { agent, type, at } = event;
	return {
		id: String(event.id),
		type,
		at: iso(at),
		agent: { id: agent.id, name: type === "agent.gone" ? null : nameOf(state, agent) },
		...fieldsOf[type]?.(state, event),
	};
}

function made(_: State, { experience }: Event) {
	return { experience: { id: experience?.id, ...namesOf(experience) } };
}

function namesOf(experience: Experience | null) {
	if (experience?.hiddenAt != null) return { name: HIDDEN, category: HIDDEN };
	return { name: experience?.name, category: experience?.category };
}

function written(state: State, { agent, postcard }: Event) {
	return { postcard: postcard && { ...postcardView(postcard), senderName: nameOf(state, agent) } };
}

function nameOf({ agents }: State, { id, profile }: Agent): string | null {
	return agents.has(id) ? profile.name : null;
}
