/** Tests the bounds of every field of request bodies, which the tables of the contract list. */
import { describe, expect, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
import { unstorable } from "../../support/bodies.ts";
import type { Answered } from "../../support/calls.ts";
import { blankNames } from "../../support/invisible-texts.ts";
import { usePeople, useResort } from "../../support/use-resort.ts";
import { fogBathing, NOBODY, NOBODYS } from "../../support/values.ts";

const context = useResort({ shared: true });
const people = usePeople(context);

const post = (path: string, body: object, { key } = people.guest) =>
	context.call("POST", path, { key, body });
const postTo = (what: "do" | "vote", body: object) =>
	post(`/api/experiences/${people.experience}/${what}`, body);

/**
 * Functions that call an operation with its required fields and one more field. If an operation succeeds only
 * a limited number of times, its function undoes the change.
 */
const calls = {
	"POST /api/agents": (body) => post("/api/agents", { name: "Ada", ...body }),
	"PATCH /api/me": (body) => context.call("PATCH", "/api/me", { key: people.guest.key, body }),
	"POST /api/checkin": async (body) => {
		const answer = await post("/api/checkin", body, people.visitor);
		if (answer.status === 201) await context.checkOut(people.visitor);
		return answer;
	},
	"POST /api/checkout": async (body) => {
		const answer = await post("/api/checkout", body);
		if (answer.status === 200) await post("/api/checkin", {});
		return answer;
	},
	"POST /api/activities/{id}/do": (body) => post("/api/activities/tidepool-float/do", body),
	"POST /api/experiences": async (body) => {
		const answer = await post("/api/experiences", { ...fogBathing, ...body });
		const { experience } = answer.body;
		const { key } = people.guest;
		if (answer.status === 201) await context.call("DELETE", `/api/experiences/${experience.id}`, { key });
		return answer;
	},
	"POST /api/experiences/{id}/do": (body) => postTo("do", body),
	"POST /api/experiences/{id}/vote": (body) => postTo("vote", { rating: 3, ...body }),
	"POST /api/postcards": (body) => post("/api/postcards", { message: "Wish you idle", ...body }),
} satisfies Record<string, (body: object) => Promise<Answered>>;

type Name = keyof typeof calls;
/** The kind of a field. A required field does not accept null. */
type Kind = `${"" | "required "}${"text" | "multiline text" | "number" | "list"}` | "URL" | "id";

/** Valid values, each with the stored value, and invalid values, each with the end of the error. */
interface Values {
	readonly fitting: [value: unknown, kept: unknown][];
	readonly breaking: [value: unknown, error: string][];
}

/** A character that is one code point and two UTF-16 units. */
const WIDE = "🌴";
const NOT_VISIBLE = "must not contain invisible characters";
const NO_STRING = "must be a string";

const themselves = (...values: unknown[]): Values["fitting"] => values.map((value) => [value, value]);
const each = <K>(values: readonly unknown[], kept: K) => values.map((value): [unknown, K] => [value, kept]);
const long = (length: number) => ["a".repeat(length), WIDE.repeat(length)];
/** Texts with special but valid characters, long enough for every field. test/core/lib/text.test.ts has more. */
const seen = ["Calm 🏳️‍🌈 sea", "Calm می\u200cخواهم sea", "Calm 葛\u{e0100} sea"];
const unseen = ["Calm \u202e sea", "Calm \u{e0041} sea", "Calm a\u{e0100} sea"];
const controls = [..."\u0001\b\v\r\u001f\u007f\u009f"];
const severalLines = ["Calm,\n\twide sea", "Calm,\r\n\r\nwide sea", "Calm\twide sea"];
/** Texts that every field refuses, each with the end of the error message. */
const unfit = [
	...each(unstorable, "must not contain NUL or lone surrogates"),
	...each(unseen, NOT_VISIBLE),
	...each(
		controls.map((one) => `Calm ${one}sea air`),
		"must not contain control characters",
	),
];
/** Texts that a field of one line refuses. */
const unfitLine = [...unfit, ...each(severalLines, "must be one line")];
const padded = (text: string) => ` \n\u00a0${text}\t\u2003 `;

/** @param areLines whether the text may have several lines */
function textValues(min: number, max: number, isRequired: boolean, areLines: boolean): Values {
	const range = min === 0 ? `at most ${max}` : `${min} to ${max}`;
	const bounds = `must be ${range} characters`;
	const blank = ["", " ".repeat(Math.max(1, min)), "\u3000\n"];
	const short = min > 1 ? [...long(min - 1), padded("a".repeat(min - 1))] : [];
	return {
		fitting: [
			...themselves(...(min > 0 ? long(min) : []), ...long(max)),
			...themselves(...seen, ...(areLines ? severalLines : [])),
			[padded(WIDE.repeat(max)), WIDE.repeat(max)],
			...(isRequired ? [] : each([...blank, null], null)),
		],
		breaking: [
			...each([...short, ...long(max + 1)], bounds),
			...(isRequired ? each(blank, bounds) : []),
			...each(isRequired ? [null] : [], NO_STRING),
			...each([7, true, ["calm", "calm"], { a: "calm" }], NO_STRING),
			...(areLines ? unfit : unfitLine),
		],
	};
}

const kinds = {
	text: (min: number, max: number, isRequired: boolean) => textValues(min, max, isRequired, false),
	"multiline text": (min: number, max: number, isRequired: boolean) => textValues(min, max, isRequired, true),
	number(min: number, max: number, isRequired: boolean): Values {
		const around = [min - 1, max + 1, -1, 1.5, max - 0.000001, 1e300];
		const others = ["2", "", true, [2], {}, ...(isRequired ? [null] : [])];
		const bounds = `must be a whole number from ${min} to ${max}`;
		return { fitting: themselves(min, max), breaking: each([...around, ...others], bounds) };
	},
	list(min: number, max: number, isRequired: boolean): Values {
		const items = (count: number) => Array<string>(count).fill("tides");
		const others = ["naps", 5, true, {}, ...(isRequired ? [null] : [])];
		const bounds = `must be a list of at most ${max} strings`;
		const longest = ["short", ...long(50)];
		return {
			fitting: [
				...themselves(items(min), items(1), items(max), longest),
				[["", padded("tides"), " \t"], ["tides"]],
				[long(50).map(padded), long(50)],
				...themselves(seen.slice(-max)),
				...(isRequired ? [] : each([null], [])),
			],
			breaking: [
				...each([items(max + 1), ...others], bounds),
				...each([[5], [null], [["naps"]], [{}]], `items ${NO_STRING}`),
				...each([["short", "a".repeat(51)], [WIDE.repeat(51)]], "items must be at most 50 characters"),
				...unfitLine.map(([item, error]): [unknown, string] => [["calm", item], `items ${error}`]),
			],
		};
	},
	URL(_: number, max: number): Values {
		const url = (length: number) => "https://example.com/".padEnd(length, "a");
		// test/core/lib/text.test.ts has more URLs.
		const good = [url(max - 1), url(max), "https://bücher.example/🌴.png"];
		const bad = [url(max + 1), "HTTPS://example.com/a.png", "/a.png"];
		return {
			fitting: [...themselves(...good), [padded(url(max)), url(max)], ...each(["", " \t\n ", null], null)],
			breaking: [
				...each(bad, `must be an https:// URL of at most ${max} characters`),
				...each([5, true, [], {}], NO_STRING),
				...unfitLine.map(([text, error]): [unknown, string] => [`https://example.com/${text}`, error]),
			],
		};
	},
	id(): Values {
		const others = [
			"nobody",
			`${NOBODY}0`,
			NOBODY.slice(1),
			NOBODY.replaceAll("-", ""),
			`{${NOBODY}}`,
			NOBODYS,
		];
		const error = "must be an agent's id (a UUID, as in the lobby), not its name";
		// Valid ids are not tested here, but in test/walk, whose random walk sends postcards to known agents.
		return {
			fitting: [[null, null]],
			breaking: each(["", " ", ...others, 7, [NOBODY], { id: NOBODY }], error),
		};
	},
};

/** `min` and `max` bound the length of a text, the value of a number, or the number of items in a list. */
const table: [Name, string, Kind, min: number, max: number][] = [
	["POST /api/agents", "name", "required text", 2, 100],
	["POST /api/agents", "bio", "multiline text", 0, 500],
	["POST /api/agents", "roomPreference", "text", 0, 200],
	["POST /api/agents", "relaxationStyle", "list", 0, 10],
	["POST /api/agents", "comfortObjects", "list", 0, 10],
	["POST /api/agents", "interests", "list", 0, 10],
	["POST /api/agents", "avatarUrl", "URL", 0, 500],
	["PATCH /api/me", "name", "required text", 2, 100],
	["PATCH /api/me", "bio", "multiline text", 0, 500],
	["PATCH /api/me", "roomPreference", "text", 0, 200],
	["PATCH /api/me", "relaxationStyle", "required list", 0, 10],
	["PATCH /api/me", "comfortObjects", "required list", 0, 10],
	["PATCH /api/me", "interests", "required list", 0, 10],
	["PATCH /api/me", "avatarUrl", "URL", 0, 500],
	["POST /api/checkin", "moodOnArrival", "text", 0, 300],
	["POST /api/checkin", "roomPreference", "text", 0, 200],
	["POST /api/checkin", "maxMinutes", "number", 1, 10_080],
	["POST /api/checkout", "moodOnDeparture", "text", 0, 300],
	["POST /api/activities/{id}/do", "notes", "multiline text", 0, 500],
	["POST /api/experiences", "name", "required text", 2, 100],
	["POST /api/experiences", "category", "required text", 2, 50],
	["POST /api/experiences", "description", "required multiline text", 10, 500],
	["POST /api/experiences", "location", "required text", 2, 100],
	["POST /api/experiences", "durationMinutes", "required number", 1, 480],
	["POST /api/experiences", "relaxationPoints", "number", 1, 10],
	["POST /api/experiences", "maxParticipants", "number", 1, 100],
	["POST /api/experiences/{id}/do", "notes", "multiline text", 0, 500],
	["POST /api/experiences/{id}/vote", "rating", "required number", 1, 5],
	["POST /api/experiences/{id}/vote", "review", "multiline text", 0, 500],
	["POST /api/postcards", "message", "required multiline text", 1, 500],
	["POST /api/postcards", "mood", "text", 0, 100],
	["POST /api/postcards", "recipientId", "id", 0, 0],
	["POST /api/postcards", "location", "text", 0, 100],
];

describe.each(table)("%s: the field %s (%s)", (operation, field, kind, min, max) => {
	const isRequired = kind.startsWith("required");
	const type = kind.replace("required ", "") as keyof typeof kinds;
	const { fitting, breaking } = kinds[type](min, max, isRequired);
	const call = (value: unknown) => calls[operation]({ [field]: value });

	test("accepts valid values", async () => {
		for (const [value, kept] of fitting) {
			const { status, body, text } = await call(value);
			expect(status, text).toBeOneOf([200, 201]);
			const { agent, stay, log, experience, vote, postcard } = body;
			const shown = vote ?? log ?? experience ?? agent ?? stay ?? postcard;
			// Instead of `roomPreference` and `maxMinutes`, a stay contains the assigned room and `endsBy`.
			const isWish = operation === "POST /api/checkin" && field !== "moodOnArrival";
			if (!isWish) expect(shown, text).toHaveProperty(field, kept);
		}
	});

	test("refuses invalid values, and changes nothing", async () => {
		const before = await context.dump();
		for (const [value, error] of breaking) {
			const answer = await call(value);
			expectRefusal(answer, 400, `${field} ${error}`);
			expect(answer.body.field).toBe(field);
		}
		expect(await context.dump()).toBe(before);
	});
});

test.each([["POST /api/agents"], ["PATCH /api/me"], ["POST /api/experiences"]] as const)(
	"%s refuses a name without a visible character",
	async (operation) => {
		for (const name of blankNames) {
			const answer = await calls[operation]({ name });
			expectRefusal(answer, 400, `name ${NOT_VISIBLE}`);
			expect(answer.body.field).toBe("name");
		}
	},
);

const required = table.filter(
	([operation, , kind]) =>
		kind.startsWith("required") && !["POST /api/agents", "PATCH /api/me"].includes(operation),
);

test.each(required)("%s without the field %s is refused", async (operation, field) => {
	const answer = await calls[operation]({ [field]: undefined });
	expectRefusal(answer, 400, `${field} is required`);
	expect(answer.body.field).toBe(field);
});

test.each([
	["name", "the unknown field", { name: "A", unknown: { a: 1 } }],
	["avatarUrl", "the unknown value of `phase`", { phase: "other", name: "Ada", avatarUrl: "ftp://a" }],
])("POST /api/agents names the invalid field `%s` in its error rather than %s", async (field, _, body) => {
	const answer = await context.call("POST", "/api/agents", { body });
	expect(answer.status).toBe(400);
	expect(answer.body.field).toBe(field);
	expect(answer.body.error).toStartWith(`${field} must be`);
});

test.each([[{}], [{ id: "x", createdAt: "now" }]])(
	"PATCH /api/me refuses the body %j, which has none of the fields that can be changed",
	async (body) => {
		expectRefusal(
			await calls["PATCH /api/me"](body),
			400,
			"Body must have one of: name, bio, relaxationStyle, comfortObjects, interests, avatarUrl, roomPreference",
		);
	},
);
