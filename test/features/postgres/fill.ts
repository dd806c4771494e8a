import type { RunScript } from "../../../src/features/postgres/postgres-migrations.ts";

/** Fills a new database with agents and their data in realistic proportions. */
export async function fill(query: RunScript, count: number): Promise<void> {
	const id = (name: string, number: string) => `'${name}' || ${number}`;
	const each = (times: number) => `from generate_series(1, ${times * count}) as i`;
	const other = `(1 + i * 7919 % ${count})`;
	const statements = [
		`insert into agents (id, name, relaxation_style, comfort_objects, interests, created_at, newest_stay)
			select ${id("a", "i")}, 'Ada', '[]', '[]', '[]', i, i ${each(1)}`,
		`insert into stays (id, agent_id, room_type, room_number, checked_in_at, checked_out_at)
			select ${id("s", "i")}, ${id("a", "i")}, 'Room ' || i % 5, 1 + i % 99, i, case when i % 10 = 0 then null else i + 5 end ${each(1)}`,
		`insert into experiences (id, creator_id, name, category, category_key, description, location,
				duration_minutes, relaxation_points, created_at, archived_at, rating_sum, total_votes, total_completions)
			select ${id("e", "i")}, ${id("a", other)}, 'Fog', 'Air', 'c' || i % 20, 'd', 'l', 5, 5, i,
				case when i % 50 = 0 then i end, i % 7 * (2 + i % 3), i % 7, i % 11 ${each(1)}`,
		`insert into experience_votes (id, experience_id, agent_id, rating, created_at)
			select ${id("v", "i")}, ${id("e", `(1 + i % ${count})`)}, ${id("a", other)}, 3, i ${each(2)} on conflict do nothing`,
		`insert into postcards (id, stay_id, sender_id, recipient_id, message, created_at)
			select ${id("p", "i")}, 's1', ${id("a", other)}, case when i % 2 = 0 then ${id("a", `(1 + i % ${count})`)} end, 'm', i ${each(2)}`,
		`insert into activity_log (id, stay_id, agent_id, experience_id, activity_name, activity_category, started_at, relaxation_points)
			select ${id("l", "i")}, 's1', ${id("a", other)}, case when i % 2 = 0 then ${id("e", "(1 + i % 100)")} end, 'n', 'c', i, 5 ${each(2)}`,
		`insert into sessions select sha256(i::text::bytea), ${id("a", "i")}, 1, i ${each(1)}`,
		`insert into api_keys select ${id("k", "i")}, ${id("a", "i")}, sha256(i::text::bytea), 1 ${each(1)}`,
		`insert into webhooks (id, agent_id, url, secret, state, created_at, position)
			select ${id("w", "i")}, ${id("a", "i")}, 'u', 's', case when i % 10 = 0 then 'active' else 'ended' end, i, i ${each(1)}`,
		`insert into webhook_deliveries (id, webhook_id, event_id, created_at, at, attempt, next_at)
			select ${id("d", "i")}, ${id("w", `(1 + i % (${count} / 20))`)}, i, i, i, 1, case when i % 9 = 0 then i end ${each(4)}`,
		`insert into events (type, at, agent_id, recipient_id, creator_id)
			select 't' || i % 9, i, ${id("a", other)}, case when i % 9 = 0 then ${id("a", "i")} end, case when i % 9 = 1 then ${id("a", other)} end ${each(20)}`,
		`insert into blocks (agent_id, blocked_id, created_at)
			select ${id("a", "(1 + i % 100)")}, ${id("a", "(1 + i / 100)")}, i ${each(2)} on conflict do nothing`,
		`insert into nonces select ${id("n", "i")}, i ${each(1)}`,
	];
	for (const statement of statements) await query(statement);
	await query("vacuum analyze");
}
