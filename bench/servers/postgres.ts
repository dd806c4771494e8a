/**
 * Bare `Bun.serve` with `Bun.SQL` and the statements that the resort runs on PostgreSQL: for a status two
 * queries, for POST /api/activities/{id}/do a transaction. Nobody is authenticated: the guest is any of them,
 * as in the load. Usage: postgres.ts URL CONNECTIONS
 */
import { SQL } from "bun";
import { activities } from "../../src/content/activities.ts";
import { MINUTE_MS, toTimestamp } from "../../src/core/lib/clock.ts";
import { type AgentRow, type StayRow, statusOf } from "./answer.ts";
import { printReady } from "./ready.ts";

const [url = "", connections = ""] = process.argv.slice(2);
const sql = new SQL(url, { max: Number(connections), bigint: true });
const activity = activities.find(({ id }) => id === "tidepool-float");
if (activity === undefined) throw new Error("the activity is gone");
const { reflections, ...shown } = activity;
const { name, category, durationMinutes, relaxationPoints } = activity;

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

/** The server's bigints are times and counts. */
function read(row: Record<string, unknown>): StayRow {
	const entries = Object.entries(row).map(([key, value]) => [
		key,
		typeof value === "bigint" ? Number(value) : value,
	]);
	return Object.fromEntries(entries);
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
	// Slots that no instance takes.
	const slot = 900 + (changes++ % Number(connections));
	const points = await sql.begin(async (change) => {
		await change`select 1 from agents where id = ${agentId} for no key update`;
		await change`select id, last_active from agents where id = ${agentId} and deactivated_at is null`;
		const [stay] = await change`select * from stays where agent_id = ${agentId} and checked_out_at is null`;
		// What needs no answer is sent at once.
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
