/**
 * A bare `Bun.serve` with `Bun.SQL` that runs the statements of the resort on PostgreSQL: two queries for a
 * status, and a transaction for POST /api/activities/{id}/do. It authenticates nobody, and makes each change
 * for a random guest, as in the load. Usage: postgres.ts URL CONNECTIONS
 */
import { SQL } from "bun";
import { activities } from "../../src/content/activities.ts";
import { refreshedStatus } from "../../src/content/refreshment.ts";
import { MINUTE_MS, toTimestamp } from "../../src/core/lib/clock.ts";
import { printReady } from "./ready.ts";

const [url = "", connections = ""] = process.argv.slice(2);
const sql = new SQL(url, { max: Number(connections), bigint: true });
const activity = activities.find(({ id }) => id === "tidepool-float");
if (activity === undefined) throw new Error("the activity is gone");
const { reflections, ...shown } = activity;
const { name, category, durationMinutes, relaxationPoints } = activity;

interface AgentRow {
	readonly id: string;
	readonly name: string;
	readonly created_at: number | bigint;
}

interface StayRow {
	readonly room_type: string;
	readonly room_number: number;
	readonly checked_in_at: number;
	readonly checked_out_at: number | null;
	readonly relaxation_points: number;
	readonly activity_name: string | null;
	readonly activity_started_at: number | null;
	readonly activity_ends_at: number | null;
}

interface Guest {
	readonly id: string;
	readonly agent_id: string;
}

const guests: Guest[] = await sql`select id, agent_id from stays where checked_out_at is null`;

async function answerStatus(id: string): Promise<Response> {
	const [agent]: (AgentRow & { readonly newest_stay: bigint })[] =
		await sql`select id, name, created_at, newest_stay from agents where id = ${id} and deactivated_at is null`;
	if (agent === undefined) {
		return Response.json({ error: "Agent not found" }, { status: 404 });
	}
	const [stay] = await sql`select room_type, room_number, checked_in_at, checked_out_at, relaxation_points,
		activity_name, activity_started_at, activity_ends_at from stays where seq = ${agent.newest_stay}`;
	return Response.json(statusOf(agent, stay === undefined ? null : read(stay)));
}

/** Converts the bigints of a row to numbers: they are times and counts. */
function read(row: Record<string, unknown>): StayRow {
	const entries = Object.entries(row).map(([key, value]) => [
		key,
		typeof value === "bigint" ? Number(value) : value,
	]);
	return Object.fromEntries(entries);
}

/**
 * Returns the status of an agent with its newest stay, before serialization to JSON.
 * @param stay undefined or null if there was no stay
 */
function statusOf({ id, name, created_at }: AgentRow, stay: StayRow | undefined | null): object {
	if (stay?.checked_out_at === null) return relaxing({ id, name }, stay);
	return {
		ok: true,
		status: "available",
		since: toTimestamp(stay?.checked_out_at ?? Number(created_at)),
		agent: { id, name },
		...(stay && {
			lastStay: {
				checkedOutAt: toTimestamp(stay.checked_out_at),
				totalRelaxationPoints: stay.relaxation_points,
				refreshedStatus: refreshedStatus(stay.relaxation_points),
			},
		}),
		message: `${name} is available for work.`,
	};
}

function relaxing(agent: Omit<AgentRow, "created_at">, stay: StayRow): object {
	const roomName = `${stay.room_type} ${stay.room_number}`;
	const activity = currentActivity(stay);
	const busy = activity === null ? "" : `, busy with ${activity.name}`;
	return {
		ok: true,
		status: "relaxing",
		since: toTimestamp(stay.checked_in_at),
		agent,
		stay: {
			roomName,
			roomType: stay.room_type,
			checkedInAt: toTimestamp(stay.checked_in_at),
			endsBy: null,
			currentActivity: activity,
			relaxationPoints: stay.relaxation_points,
		},
		message: `${agent.name} is relaxing in ${roomName}${busy}. Please assign no work.`,
	};
}

function currentActivity(stay: StayRow) {
	const { activity_name: name, activity_started_at: startedAt } = stay;
	if (name === null || startedAt === null) return null;
	if ((stay.activity_ends_at ?? 0) <= Date.now()) return null;
	return { name, startedAt: toTimestamp(startedAt), endsAt: toTimestamp(stay.activity_ends_at ?? 0) };
}

let changes = 0;

async function answerDo(): Promise<Response> {
	const guest = guests[Math.floor(Math.random() * guests.length)];
	if (guest === undefined) throw new Error("nobody is checked in");
	const agentId = guest.agent_id;
	const now = Date.now();
	const id = Bun.randomUUIDv7("hex", now);
	const endsAt = now + durationMinutes * MINUTE_MS;
	const details = JSON.stringify({ activityId: activity?.id, name, category, relaxationPoints });
	// Instances do not use slots with such high numbers.
	const slot = 900 + (changes++ % Number(connections));
	const points = await sql.begin(async (change) => {
		await change`select 1 from agents where id = ${agentId} for no key update`;
		await change`select id, last_active from agents where id = ${agentId} and deactivated_at is null`;
		const [stay] = await change`select * from stays where agent_id = ${agentId} and checked_out_at is null`;
		// Statements whose rows are not needed are sent together.
		await Promise.all([
			change`insert into activity_log (id, stay_id, agent_id, activity_id, activity_name, activity_category, started_at, relaxation_points)
				values (${id}, ${guest.id}, ${agentId}, ${activity?.id ?? ""}, ${name}, ${category}, ${now}, ${relaxationPoints})`,
			change`update stays set relaxation_points = relaxation_points + ${relaxationPoints}, activities_completed = activities_completed + 1,
				activity_name = ${name}, activity_started_at = ${now}, activity_ends_at = ${endsAt} where seq = ${stay.seq}`,
			change`insert into events (type, at, agent_id, details) values ('agent.did', ${now}, ${agentId}, ${details})`,
			change`insert into heads (slot, n, touches) values (${slot}, 1, ${agentId})
				on conflict (slot) do update set n = heads.n + 1, touches = excluded.touches`,
		]);
		return stay.relaxation_points + relaxationPoints;
	});
	return Response.json(
		{
			ok: true,
			activity: shown,
			log: { id, startedAt: toTimestamp(now), notes: null },
			relaxationPoints: points,
			reflection: reflections[now % reflections.length],
		},
		{ status: 201 },
	);
}

printReady(
	Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		development: false,
		routes: { "/api/agents/:id/status": ({ params: { id } }) => answerStatus(id) },
		fetch: answerDo,
	}),
);
