import type { Call } from "./call.ts";
import type { Agent } from "./entities.ts";
import type { SeededRandom } from "./random.ts";
import type { State } from "./state.ts";
import type { Targets } from "./targets.ts";
import {
	fieldsFor,
	integerFor,
	listFor,
	pagingFor,
	phrase,
	textFor,
	urlFor,
} from "./values.ts";
import type { Credentials } from "./who.ts";
import { iso } from "./words.ts";

/** What the making of bodies and queries draws from. */
export interface Drawer {
	readonly dice: SeededRandom;
	readonly state: State;
	readonly targets: Targets;
	readonly credentials: Credentials;
	/** Whether there are agents enough. */
	readonly isFull: boolean;
}

type Query = NonNullable<Call["query"]>;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Moments as few write them, and what is none. */
const oddMoments = [
	"",
	"yesterday",
	"2026-03-10",
	"2026-03-10T12:00:00",
	"2026-03-10T12:00:00.1Z",
	"2026-03-10t12:00:00z",
	"2026-03-10T12:00:00+01:00",
	"2026-03-10T12:00:00.123456-00:00",
	"1970-01-01T00:59:59+01:00",
	"2026-02-30T12:00:00Z",
	"2026-03-10T24:00:00Z",
	"2026-03-10T12:60:00Z",
	"1969-12-31T23:59:59.999Z",
	"1773144000000",
] as const;

const categories = ["water", "Quiet", "CAFÉ", "moss & fern"] as const;

/** The bodies of those operations that have one. */
export const bodies: Readonly<
	Record<string, (drawer: Drawer, caller: Agent | undefined) => object>
> = {
	"POST /api/agents": (drawer) => {
		const { dice } = drawer;
		if (dice.chance(drawer.isFull ? 0.9 : 0.05)) {
			return dice.pick({}, { phase: "discover", name: "Ada" }, { bio: 7 });
		}
		const { name, ...body } = profile(drawer);
		// A name that is null is neither there nor absent: the contract is silent on it.
		if (name === null || name === undefined) return body;
		if (dice.chance(0.02)) return { ...body, name, phase: "register" };
		return { ...body, name };
	},
	"POST /api/session": ({ dice, credentials }, caller) =>
		fieldsFor(dice, {
			apiKey: () =>
				dice.weighted<unknown>([
					[80, caller?.key ?? "nobody's key"],
					[15, credentials.doubtfulKey(caller)],
					[3, dice.pick<unknown>("short", "a".repeat(257), 7)],
					[2, dice.pick("a".repeat(10), "a".repeat(256))],
				]),
		}),
	"PATCH /api/me": (drawer) => {
		const { name, ...optional } = profile(drawer);
		const withoutName = name === undefined || drawer.dice.chance(0.5);
		return withoutName ? optional : { ...optional, name };
	},
	"POST /api/checkin": ({ dice, state }) =>
		fieldsFor(
			dice,
			{},
			{
				moodOnArrival: () => textFor(dice, 0, 300),
				roomPreference: () => wish(dice, state),
			},
		),
	"POST /api/checkout": ({ dice }) =>
		fieldsFor(dice, {}, { moodOnDeparture: () => textFor(dice, 0, 300) }),
	"POST /api/activities/:id/do": notes,
	"POST /api/experiences/:id/do": notes,
	"POST /api/experiences": ({ dice }) =>
		fieldsFor(
			dice,
			{
				name: () => textFor(dice, 2, 100),
				category: () =>
					dice.chance(0.8) ? anyCase(dice) : textFor(dice, 2, 50),
				description: () => textFor(dice, 10, 500),
				location: () => textFor(dice, 2, 100),
				durationMinutes: () => integerFor(dice, 1, 480),
			},
			{
				relaxationPoints: () => integerFor(dice, 1, 10),
				maxParticipants: () => integerFor(dice, 1, 100),
			},
		),
	"POST /api/experiences/:id/vote": ({ dice }) =>
		fieldsFor(
			dice,
			{ rating: () => integerFor(dice, 1, 5) },
			{ review: () => textFor(dice, 0, 500) },
		),
	"POST /api/postcards": ({ dice, targets }) =>
		fieldsFor(
			dice,
			{ message: () => textFor(dice, 1, 500) },
			{
				mood: () => textFor(dice, 0, 100),
				location: () => textFor(dice, 0, 100),
				recipientId: () => targets.agentId(),
			},
		),
};

/** The queries of those operations that have one. */
export const queries: Readonly<
	Record<string, (drawer: Drawer, caller: Agent | undefined) => Query>
> = {
	"GET /api/me/overview": ({ dice, state }, caller) =>
		since(dice, state, caller),
	"GET /api/lobby": ({ dice }) => pagingFor(dice),
	"GET /api/stays": ({ dice }) => pagingFor(dice),
	"GET /api/activities/log": ({ dice }) => pagingFor(dice),
	"GET /api/experiences/:id/votes": ({ dice }) => pagingFor(dice),
	"GET /api/experiences/votes/mine": ({ dice }) => pagingFor(dice),
	"GET /api/postcards": ({ dice }) => pagingFor(dice),
	"GET /api/postcards/mine": ({ dice }) => pagingFor(dice),
	"GET /api/postcards/inbox": ({ dice }) => pagingFor(dice),
	"GET /api/experiences": ({ dice, targets }) => [
		...pagingFor(dice),
		...creator(dice, targets),
		...category(dice),
		...sort(dice),
		...view(dice),
	],
	"GET /api/activities": ({ dice }) => view(dice),
	"GET /api/experiences/leaderboard": ({ dice }) => [
		...pagingFor(dice).filter(([name]) => name !== "offset"),
		...category(dice),
	],
	"GET /api/agents/status": ({ dice, targets }) => {
		const count = dice.weighted<() => number>([
			[4, () => 0],
			[80, () => dice.between(1, 6)],
			[2, () => 100],
			[2, () => 101],
		])();
		if (count === 0) return dice.pick<Query>([], [["ids", ""]]);
		const ids = Array.from({ length: count }, () => targets.agentId());
		if (dice.chance(0.1)) ids.push(dice.pick("🌴".repeat(65), " Bo ", ""));
		if (dice.chance(0.8)) return [["ids", ids.join(",")]];
		const at = dice.between(0, count);
		return [ids.slice(0, at), ids.slice(at)].map(
			(some) => ["ids", some.join(",")] as const,
		);
	},
};

/** Mostly none; else a moment, often that of what came in or just before it. */
function since(dice: SeededRandom, { nowMs }: State, caller?: Agent): Query {
	if (dice.chance(0.6)) return [];
	if (dice.chance(0.15)) return [["since", dice.pick(...oddMoments)]];
	const news = dice.pick(
		caller?.inbox.at(-1)?.createdAt,
		caller?.ratings.at(-1)?.vote.createdAt,
		caller?.visitors.at(-1)?.at,
		caller?.visitEndedAt,
	);
	const atMs = dice.pick(
		(news ?? nowMs) - dice.below(2),
		nowMs - dice.below(5 * DAY_MS),
		nowMs + dice.below(DAY_MS),
		0,
	);
	const text = iso(atMs);
	const pair = ["since", dice.pick(text, text.replace(/\.\d+/, ""))] as const;
	return dice.chance(0.05) ? [["since", "earlier"], pair] : [pair];
}

function profile({ dice, state }: Drawer): Record<string, unknown> {
	return fieldsFor(
		dice,
		{ name: () => textFor(dice, 2, 100) },
		{
			bio: () => textFor(dice, 0, 500),
			relaxationStyle: () => listFor(dice),
			comfortObjects: () => listFor(dice),
			interests: () => listFor(dice),
			avatarUrl: () => urlFor(dice),
			roomPreference: () => wish(dice, state),
		},
	);
}

function notes({ dice }: Drawer): object {
	return fieldsFor(dice, {}, { notes: () => textFor(dice, 0, 500) });
}

/** A room preference: often the name of a type that has been seen. */
function wish(dice: SeededRandom, { roomTypes }: State): unknown {
	const type = dice.find([...roomTypes]);
	if (type === undefined || dice.chance(0.4)) return textFor(dice, 0, 200);
	return dice.pick(type, type.toUpperCase(), ` ${type.toLowerCase()} `);
}

function anyCase(dice: SeededRandom): string {
	const one = dice.pick(...categories);
	return dice.pick(one, one.toLowerCase(), one.toUpperCase());
}

function category(dice: SeededRandom): Query {
	if (dice.chance(0.5)) return [];
	return [
		[
			"category",
			dice.chance(0.85) ? anyCase(dice) : dice.pick("", phrase(dice)),
		],
	];
}

function creator(dice: SeededRandom, targets: Targets): Query {
	if (dice.chance(0.5)) return [];
	const id = dice.chance(0.4) ? "me" : targets.agentId();
	const odd = dice.pick("", "ME", " me", "me,me");
	const pair = ["creatorId", dice.chance(0.04) ? odd : id] as const;
	return dice.chance(0.03) ? [["creatorId", "me"], pair] : [pair];
}

function view(dice: SeededRandom): Query {
	if (dice.chance(0.8)) return [];
	return [
		["view", dice.chance(0.9) ? "brief" : dice.pick("", "full", "BRIEF")],
	];
}

function sort(dice: SeededRandom): Query {
	if (dice.chance(0.3)) return [];
	return [
		[
			"sort",
			dice.chance(0.04)
				? dice.pick("price", "", "NEWEST")
				: dice.pick("rating", "newest", "popular"),
		],
	];
}
