/**
 * Bare `Bun.serve` that writes what POST /api/activities/{id}/do writes: a row of the log and the guest's stay,
 * on disk (`synchronous = FULL`) before it is answered. Nobody is authenticated: the guest is any of them, as
 * in the load.
 * Usage: writes.ts DATABASE single|group
 */
import { Database } from "bun:sqlite";
import { activities } from "../../src/content/activities.ts";
import { MINUTE_MS, toTimestamp } from "../../src/lib/clock.ts";
import { pragmas } from "../../src/store/sqlite/open-database.ts";
import { tellReady } from "./ready.ts";

const [path = "", manner] = process.argv.slice(2);
const sqlite = new Database(path);
for (const pragma of pragmas) sqlite.run(`PRAGMA ${pragma}`);
const activity = activities.find(({ id }) => id === "tidepool-float");
if (activity === undefined) throw new Error("the activity is gone");
const { reflections, ...shown } = activity;
const { name, category, durationMinutes, relaxationPoints } = activity;

const guests = sqlite
	.query<{ id: string; agent_id: string }, []>(
		"SELECT id, agent_id FROM stays WHERE checked_out_at IS NULL",
	)
	.all();
const insertLog = sqlite.prepare<
	never,
	[string, string, string, string, string, string, number, number]
>(
	`INSERT INTO activity_log (id, stay_id, agent_id, activity_id, activity_name, activity_category, started_at, relaxation_points)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
);
const updateStay = sqlite.prepare<
	{ relaxation_points: number },
	[number, string, number, number, string]
>(
	`UPDATE stays SET relaxation_points = relaxation_points + ?, activities_completed = activities_completed + 1,
	activity_name = ?, activity_started_at = ?, activity_ends_at = ? WHERE id = ? RETURNING relaxation_points`,
);

function record() {
	const guest = guests[Math.floor(Math.random() * guests.length)];
	if (guest === undefined) throw new Error("nobody is checked in");
	const now = Date.now();
	const id = Bun.randomUUIDv7("hex", now);
	insertLog.run(
		id,
		guest.id,
		guest.agent_id,
		activity?.id ?? "",
		name,
		category,
		now,
		relaxationPoints,
	);
	const endsAt = now + durationMinutes * MINUTE_MS;
	const stay = updateStay.get(relaxationPoints, name, now, endsAt, guest.id);
	return {
		ok: true,
		activity: shown,
		log: { id, startedAt: toTimestamp(now), notes: null },
		relaxationPoints: stay?.relaxation_points,
		reflection: reflections[now % reflections.length],
	};
}

const single = sqlite.transaction(record);

/** What arrives in one turn of the event loop shares a transaction. */
let waiting: ((answer: object) => void)[] = [];
const commit = sqlite.transaction((count: number) =>
	Array.from({ length: count }, record),
);
function grouped(): Promise<object> {
	const { promise, resolve } = Promise.withResolvers<object>();
	if (waiting.push(resolve) === 1) setImmediate(flush);
	return promise;
}
function flush(): void {
	const group = waiting;
	waiting = [];
	const answers = commit.immediate(group.length);
	for (const [place, resolve] of group.entries()) resolve(answers[place] ?? {});
}

const answer = manner === "group" ? grouped : () => single.immediate();
tellReady(
	Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		development: false,
		fetch: async () => Response.json(await answer(), { status: 201 }),
	}),
);
