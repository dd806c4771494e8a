import { expect } from "bun:test";
import { version } from "../../package.json";
import type { Answered } from "./resort.ts";

/** A UUID of version 7 (RFC 9562) in lower case. */
export const UUID_V7 =
	/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The fields of the API's resources, written by hand and not taken from the code. */
export const fields = {
	agent:
		"avatarUrl bio comfortObjects createdAt id interests lastActive name relaxationStyle roomPreference",
	stay: "checkedInAt checkedOutAt id moodOnArrival moodOnDeparture relaxationPoints roomName roomType status",
	activity:
		"category description durationMinutes id location maxParticipants name relaxationPoints",
	logEntry:
		"activityCategory activityId activityName experienceId id notes relaxationPoints startedAt stayId",
	guest: "bio checkedInAt currentActivity id name relaxationPoints room",
} as const;

/** The names of an object's fields, sorted and between spaces. */
export function namesOf(value: object): string {
	return Object.keys(value).sort().join(" ");
}

/** What GET /api/health answers while all is well, beside its checks. */
export const healthy = {
	ok: true,
	service: "agent-resort",
	version,
	status: "healthy",
} as const;

/** A moment as the API writes it. */
export function iso(timeMs: number): string {
	return new Date(timeMs).toISOString();
}

/** The first item of a list that has one. */
export function first<T>(items: readonly T[]): T {
	const [item] = items;
	if (item === undefined) throw new Error("the list is empty");
	return item;
}

/** Expects a success with these fields, `ok` among them. */
export function expectAnswer(
	{ status, body }: Pick<Answered, "status" | "body">,
	expected: number,
	names: string,
): void {
	expect({ status, ok: body.ok }).toEqual({ status: expected, ok: true });
	expect(namesOf(body)).toBe(names);
}

/** Expects this error, and no other fields beside it than `field` and `hint`. */
export function expectRefusal(
	answer: Answered,
	status: number,
	error: string,
): void {
	const { status: given, body, headers } = answer;
	expect({ status: given, error: body.error }).toEqual({ status, error });
	expect(namesOf(body)).toMatch(/^error( field)?( hint)?$/);
	expect(headers.get("content-type")).toBe("application/json");
	expect(headers.get("www-authenticate")).toBe(
		status === 401 ? "Bearer" : null,
	);
}

/** Expects a 400 whose sentence names the field that broke its bound. */
export function expectBrokenBound(answer: Answered, field: string): void {
	expectRefusal(answer, 400, answer.body.error);
	expect(answer.body.error).toContain(field);
	expect(answer.body.field).toBe(field);
}

/** Expects up to three calls that make sense now. */
export function expectNext({ body: { next } }: Answered): void {
	expect(next.length).toBeWithin(1, 4);
	for (const call of next) {
		expect(namesOf(call)).toBe("method path why");
		expect(call.method).toMatch(/^(GET|POST|PATCH|DELETE)$/);
		expect(call.path).toStartWith("/api/");
		expect(call.why).not.toBe("");
	}
}
