/**
 * A bare `Bun.serve` that writes by hand the rows that the resort writes for its most frequent changes. Each
 * request is one transaction, which is on disk (`synchronous = FULL`) before the response. The server looks
 * up the caller by the API key, but checks nothing else. Usage: writes.ts DATABASE
 */
import { Database } from "bun:sqlite";
import { activities } from "../../src/content/activities.ts";
import { roomTypes } from "../../src/content/rooms.ts";
import { MINUTE_MS, toTimestamp } from "../../src/core/lib/clock.ts";
import { pragmas } from "../../src/core/store/sqlite/open-database.ts";
import { readGuests } from "../guests.ts";
import { serveReady } from "./ready.ts";

const [path = ""] = process.argv.slice(2);
const sqlite = new Database(path);
for (const pragma of pragmas) sqlite.run(`PRAGMA ${pragma}`);

type Text = string | null;

interface Guest {
	readonly agentId: string;
	/** The room of the guest. Each guest has a separate room. */
	readonly roomType: string;
	readonly roomNumber: number;
}

const guests = new Map(
	readGuests(path).map(({ id, apiKey }, place): [string, Guest] => {
		const roomType = roomTypes[place % roomTypes.length]?.name ?? "";
		const roomNumber = 1 + Math.floor(place / roomTypes.length);
		return [`Bearer ${apiKey}`, { agentId: id, roomType, roomNumber }];
	}),
);

interface OpenStay {
	readonly seq: number;
	readonly id: string;
}
const openStay = sqlite.prepare<OpenStay, [string]>(
	"SELECT seq, id FROM stays WHERE agent_id = ? AND checked_out_at IS NULL",
);
const insertLog = sqlite.prepare<never, [string, string, string, string, string, string, number, number]>(
	`INSERT INTO activity_log (id, stay_id, agent_id, activity_id, activity_name, activity_category, started_at, relaxation_points)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
);
const addToStay = sqlite.prepare<{ relaxation_points: number }, [number, string, number, number, number]>(
	`UPDATE stays SET relaxation_points = relaxation_points + ?, activities_completed = activities_completed + 1,
	activity_name = ?, activity_started_at = ?, activity_ends_at = ? WHERE seq = ? RETURNING relaxation_points`,
);
const insertStay = sqlite.prepare<never, [string, string, string, number, number]>(
	"INSERT INTO stays (id, agent_id, room_type, room_number, checked_in_at) VALUES (?, ?, ?, ?, ?)",
);
const setNewestStay = sqlite.prepare<never, [string]>(
	"UPDATE agents SET newest_stay = last_insert_rowid() WHERE id = ?",
);
const closeStay = sqlite.prepare<{ relaxation_points: number; checked_in_at: number }, [number, string]>(
	`UPDATE stays SET checked_out_at = ? WHERE agent_id = ? AND checked_out_at IS NULL
	RETURNING relaxation_points, checked_in_at`,
);
const addRest = sqlite.prepare<never, [number, number, string]>(
	`UPDATE agents SET rest_points = rest_points + ?, longest_stay_ms = max(longest_stay_ms, ?) WHERE id = ?`,
);
const oldVote = sqlite.prepare<{ rating: number }, [string, string]>(
	"SELECT rating FROM experience_votes WHERE experience_id = ? AND agent_id = ?",
);
const upsertVote = sqlite.prepare<never, [string, string, string, number, number]>(
	`INSERT INTO experience_votes (id, experience_id, agent_id, rating, created_at) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (experience_id, agent_id) DO UPDATE SET rating = excluded.rating`,
);
interface Voted {
	readonly rating_sum: number;
	readonly total_votes: number;
	readonly creator_id: string;
}
const addVote = sqlite.prepare<Voted, [number, number, string]>(
	`UPDATE experiences SET rating_sum = rating_sum + ?, total_votes = total_votes + ? WHERE id = ?
	RETURNING rating_sum, total_votes, creator_id`,
);
const insertPostcard = sqlite.prepare<never, [string, string, string, string, Text, number]>(
	"INSERT INTO postcards (id, stay_id, sender_id, message, mood, created_at) VALUES (?, ?, ?, ?, ?, ?)",
);
const countPostcard = sqlite.prepare<never, [number]>(
	"UPDATE stays SET postcards_sent = postcards_sent + 1 WHERE seq = ?",
);
const insertEvent = sqlite.prepare<never, [string, number, string, Text, Text, Text]>(
	"INSERT INTO events (type, at, agent_id, subject_id, creator_id, details) VALUES (?, ?, ?, ?, ?, ?)",
);

interface Event {
	readonly type: string;
	readonly at: number;
	readonly agentId: string;
	readonly subjectId?: Text;
	readonly creatorId?: Text;
	readonly details?: object;
}

function publish({ type, at, agentId, subjectId = null, creatorId = null, details }: Event): void {
	insertEvent.run(type, at, agentId, subjectId, creatorId, details ? JSON.stringify(details) : null);
}

function requireStay({ agentId }: Guest): OpenStay {
	const stay = openStay.get(agentId);
	if (stay === null) throw new Error(`${agentId} is not checked in`);
	return stay;
}

function doActivity(guest: Guest, activityId: string): object {
	const activity = activities.find(({ id }) => id === activityId);
	if (activity === undefined) throw new Error(`no activity ${activityId}`);
	const { reflections, ...shown } = activity;
	const { name, category, durationMinutes, relaxationPoints } = activity;
	const stay = requireStay(guest);
	const now = Date.now();
	const id = Bun.randomUUIDv7("hex", now);
	insertLog.run(id, stay.id, guest.agentId, activityId, name, category, now, relaxationPoints);
	const endsAt = now + durationMinutes * MINUTE_MS;
	const points = addToStay.get(relaxationPoints, name, now, endsAt, stay.seq);
	const details = { activityId, name, category, relaxationPoints };
	publish({ type: "agent.did", at: now, agentId: guest.agentId, details });
	return {
		ok: true,
		activity: shown,
		log: { id, startedAt: toTimestamp(now), notes: null },
		relaxationPoints: points?.relaxation_points,
		reflection: reflections[now % reflections.length],
	};
}

function checkIn({ agentId, roomType, roomNumber }: Guest): object {
	const now = Date.now();
	const id = Bun.randomUUIDv7("hex", now);
	insertStay.run(id, agentId, roomType, roomNumber, now);
	setNewestStay.run(agentId);
	const roomName = `${roomType} ${roomNumber}`;
	const details = { roomName, roomType, checkedInAt: now };
	publish({ type: "agent.relaxing", at: now, agentId, details });
	const checkedInAt = toTimestamp(now);
	const stay = { id, agentId, roomType, roomNumber, checkedInAt };
	return { ok: true, stay, message: `Welcome to ${roomName}.` };
}

function checkOut({ agentId }: Guest): object {
	const now = Date.now();
	const stay = closeStay.get(now, agentId);
	if (stay === null) throw new Error(`${agentId} is not checked in`);
	const { relaxation_points: relaxationPoints, checked_in_at: start } = stay;
	addRest.run(relaxationPoints, now - start, agentId);
	const details = { reason: "checked_out", checkedOutAt: now, totalRelaxationPoints: relaxationPoints };
	publish({ type: "agent.available", at: now, agentId, details });
	return { ok: true, summary: { relaxationPoints }, message: "Goodbye." };
}

function vote({ agentId }: Guest, experienceId: string, body: unknown): object {
	const { rating } = body as { readonly rating: number };
	const now = Date.now();
	const before = oldVote.get(experienceId, agentId);
	const id = Bun.randomUUIDv7("hex", now);
	upsertVote.run(id, experienceId, agentId, rating, now);
	const isNew = before === null ? 1 : 0;
	const change = rating - (before?.rating ?? 0);
	const experience = addVote.get(change, isNew, experienceId);
	const creatorId = experience?.creator_id ?? null;
	publish({
		type: "experience.rated",
		at: now,
		agentId,
		subjectId: experienceId,
		creatorId,
		details: { rating },
	});
	return { ok: true, vote: { id, experienceId, rating }, experience };
}

function sendPostcard(guest: Guest, body: unknown): object {
	const { message, mood = null } = body as { readonly message: string; readonly mood?: string };
	const stay = requireStay(guest);
	const now = Date.now();
	const id = Bun.randomUUIDv7("hex", now);
	insertPostcard.run(id, stay.id, guest.agentId, message, mood, now);
	countPostcard.run(stay.seq);
	publish({ type: "postcard.sent", at: now, agentId: guest.agentId, subjectId: id });
	const createdAt = toTimestamp(now);
	return { ok: true, postcard: { id, message, mood, createdAt } };
}

/** Makes the change that a path names, for example `/api/activities/tidepool-float/do`. */
function change(path: string, guest: Guest, body: unknown): object {
	const [, , resource, id = ""] = path.split("/");
	if (resource === "activities") return doActivity(guest, id);
	if (resource === "checkin") return checkIn(guest);
	if (resource === "checkout") return checkOut(guest);
	if (resource === "experiences") return vote(guest, id, body);
	return sendPostcard(guest, body);
}

const commit = sqlite.transaction(change);

async function answer(request: Request): Promise<Response> {
	const guest = guests.get(request.headers.get("authorization") ?? "");
	if (guest === undefined) {
		return Response.json({ error: "Unauthorized" }, { status: 401 });
	}
	const text = await request.text();
	const body: unknown = text === "" ? {} : JSON.parse(text);
	const { pathname } = new URL(request.url);
	return Response.json(commit.immediate(pathname, guest, body), {
		status: pathname === "/api/checkout" ? 200 : 201,
	});
}

serveReady(answer);
