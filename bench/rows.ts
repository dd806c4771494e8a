/**
 * Fills an empty database of a resort in plain SQL. The number of a row determines its values, so the same
 * sizes yield the same file. Counters equal the numbers of the rows that they count.
 */
import type { Database } from "bun:sqlite";
import { activities } from "../src/content/activities.ts";
import { roomTypes } from "../src/content/rooms.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../src/core/lib/clock.ts";
import { createGuests } from "./guests.ts";

/** The numbers of rows in a generated database. */
export interface Size {
	readonly agents: number;
	readonly stays: number;
	/** The number of rows in the activity log. */
	readonly log: number;
	/** The number of agents that are checked in, each in a separate room; at most 4,950. */
	readonly guests: number;
	readonly experiences: number;
	readonly votes: number;
	readonly postcards: number;
}

/** The first agent registers a year before the last guest checks in. Both times are before every run. */
const END_MS = Date.UTC(2026, 0, 1);
const START_MS = END_MS - 365 * DAY_MS;

/** The guests have checked in during these last hours. All other agents have checked out before. */
const ARRIVALS_MS = 4 * HOUR_MS;
const LAST_DEPARTURE_MS = 10 * HOUR_MS;

const EXPERIENCE_MINUTES = 30;

/** One completion in this many is that of an experience; the others are those of activities. */
const EXPERIENCE_EVERY = 20;

/** The table `n` with the numbers from 0 to ?1 - 1. */
const NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)";

/**
 * Fills a database.
 * @param sqlite a database with the newest schema and without rows
 * @throws SQLiteError if a row violates a constraint of the schema
 */
export function fill(sqlite: Database, size: Size): void {
	const indexes = dropIndexes(sqlite);
	insertCatalogues(sqlite);
	insertAgents(sqlite, size);
	insertStays(sqlite, size);
	insertExperiences(sqlite, size);
	insertLog(sqlite, size);
	insertPostcards(sqlite, size);
	for (const index of indexes) sqlite.run(index);
	insertVotes(sqlite, size);
	count(sqlite);
	sqlite.run(`UPDATE agents SET newest_stay = coalesce(
		(SELECT seq FROM stays WHERE agent_id = agents.id AND checked_out_at IS NULL),
		(SELECT seq FROM stays WHERE agent_id = agents.id ORDER BY checked_in_at DESC, seq DESC LIMIT 1), 0)`);
	insertKeys(sqlite, size);
}

/**
 * Drops the indexes, because creating them after the rows is faster.
 * @returns the statements that create the indexes
 */
function dropIndexes(sqlite: Database): string[] {
	const indexes = sqlite
		.query<{ name: string; sql: string }, []>(
			"SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
		)
		.all();
	for (const { name } of indexes) sqlite.run(`DROP INDEX "${name}"`);
	return indexes.map(({ sql }) => sql);
}

function insertCatalogues(sqlite: Database): void {
	sqlite.run("CREATE TEMP TABLE rooms (n INTEGER PRIMARY KEY, name TEXT)");
	sqlite.run(
		"CREATE TEMP TABLE catalogue (n INTEGER PRIMARY KEY, id TEXT, name TEXT, category TEXT, minutes INTEGER, points INTEGER)",
	);
	for (const [n, { name }] of roomTypes.entries()) {
		sqlite.run("INSERT INTO rooms VALUES (?, ?)", [n, name]);
	}
	for (const [n, activity] of activities.entries()) {
		const { id, name, category, durationMinutes, relaxationPoints } = activity;
		sqlite.run("INSERT INTO catalogue VALUES (?, ?, ?, ?, ?, ?)", [
			n,
			id,
			name,
			category,
			durationMinutes,
			relaxationPoints,
		]);
	}
}

function insertAgents(sqlite: Database, { agents }: Size): void {
	const createdAt = `(${START_MS} + i * ${DAY_MS} / ${agents})`;
	sqlite.run(
		`${NUMBERS} INSERT INTO agents (seq, id, name, bio, relaxation_style, comfort_objects, interests, created_at)
		SELECT i + 1, ${uuid(createdAt)}, 'Agent ' || i,
			iif(i % 3 = 0, 'Sorts tickets by day and counts herons by night.', NULL),
			'["floating","gentle quiet"]', '[]', '["lakes"]', ${createdAt} FROM n`,
		[agents],
	);
}

function insertStays(sqlite: Database, size: Size): void {
	const { agents, stays, guests } = size;
	const closed = stays - guests;
	const span = END_MS - LAST_DEPARTURE_MS - START_MS - 2 * DAY_MS;
	const isOpen = `i >= ${closed}`;
	const guest = `(i - ${closed})`;
	const rooms = roomTypes.length;
	const arrival = `iif(${isOpen},
		${END_MS - ARRIVALS_MS} + ${guest} * ${ARRIVALS_MS} / ${guests},
		${START_MS + DAY_MS} + i * ${span} / ${stays})`;
	const leaves = `iif(${isOpen}, NULL, ${arrival} + (60 + ${draw(1)} % 240) * ${MINUTE_MS})`;
	sqlite.run(
		`${NUMBERS} INSERT INTO stays (seq, id, agent_id, room_type, room_number, checked_in_at, checked_out_at)
		SELECT i + 1, ${uuid(arrival)}, a.id, r.name,
			iif(${isOpen}, 1 + ${guest} / ${rooms}, 1 + ${draw(2)} % 99), ${arrival}, ${leaves}
		FROM n
		CROSS JOIN agents a ON a.seq = 1 + iif(${isOpen}, ${guest} * ${Math.floor(agents / guests)}, i % ${agents})
		CROSS JOIN rooms r ON r.n = iif(${isOpen}, ${guest}, ${draw(3)}) % ${rooms}`,
		[stays],
	);
}

function insertExperiences(sqlite: Database, size: Size): void {
	sqlite.run(
		`${NUMBERS} INSERT INTO experiences (seq, id, creator_id, name, category, category_key, description, location, duration_minutes, relaxation_points, created_at)
		SELECT i + 1, 'exp-' || ${uuid(`(${START_MS + DAY_MS} + i)`)}, a.id, 'Experience ' || i,
			'Category ' || (i % 20), 'category ' || (i % 20), 'Count the rings that the rain makes on the lake, lose count, and begin again: ' || i,
			'The old jetty', ${EXPERIENCE_MINUTES}, 3, ${START_MS + DAY_MS} + i
		FROM n CROSS JOIN agents a ON a.seq = 1 + ${draw(4)} % ${size.agents}`,
		[size.experiences],
	);
}

/** Inserts completions in the order of the stays. Within a stay, they are a minute apart. */
function insertLog(sqlite: Database, size: Size): void {
	const { log, stays, experiences } = size;
	const place = `(i * ${stays} % ${log} / ${stays})`;
	const startedAt = `(s.checked_in_at + (1 + ${place}) * ${MINUTE_MS})`;
	sqlite.run(
		`${NUMBERS} INSERT INTO activity_log (seq, id, stay_id, agent_id, activity_id, experience_id, activity_name, activity_category, started_at, relaxation_points)
		SELECT i + 1, ${uuid(startedAt)}, s.id, s.agent_id, iif(e.id IS NULL, c.id, NULL), e.id,
			coalesce(e.name, c.name), coalesce(e.category, c.category), ${startedAt},
			coalesce(e.relaxation_points, c.points)
		FROM n
		CROSS JOIN stays s ON s.seq = 1 + i * ${stays} / ${log}
		CROSS JOIN catalogue c ON c.n = ${draw(5)} % ${activities.length}
		LEFT JOIN experiences e ON i % ${EXPERIENCE_EVERY} = 7 AND e.seq = 1 + ${draw(6)} % ${experiences}`,
		[log],
	);
}

function insertPostcards(sqlite: Database, size: Size): void {
	const { postcards, stays, agents } = size;
	const createdAt = `(s.checked_in_at + ${MINUTE_MS})`;
	sqlite.run(
		`${NUMBERS} INSERT INTO postcards (seq, id, stay_id, sender_id, recipient_id, message, mood, created_at)
		SELECT i + 1, ${uuid(createdAt)}, s.id, s.agent_id, r.id,
			'The lake is flat, the heron is on time, and nobody asked me anything all day. Number ' || i,
			iif(i % 2 = 0, 'serene', NULL), ${createdAt}
		FROM n
		CROSS JOIN stays s ON s.seq = 1 + i * ${stays} / ${postcards}
		LEFT JOIN agents r ON i % 10 = 3 AND r.seq = 1 + ${draw(7)} % ${agents}`,
		[postcards],
	);
}

/** Inserts one vote for each agent and each experience that the agent has completed, up to `votes`. */
function insertVotes(sqlite: Database, { votes }: Size): void {
	sqlite.run(
		`INSERT INTO experience_votes (id, experience_id, agent_id, rating, review, created_at)
		SELECT ${uuid("at")}, experience_id, agent_id, 1 + ${draw(8)} % 5, iif(i % 4 = 0, 'Quiet, as promised.', NULL), at
		FROM (SELECT experience_id, agent_id, min(seq) AS i, min(started_at) + ${MINUTE_MS} AS at
			FROM activity_log WHERE experience_id IS NOT NULL GROUP BY 1, 2 ORDER BY i LIMIT ?1)`,
		[votes],
	);
}

function count(sqlite: Database): void {
	for (const statement of [
		`UPDATE stays SET relaxation_points = done.points, activities_completed = done.count,
			activity_name = done.name, activity_started_at = done.newest,
			activity_ends_at = done.newest + coalesce(done.minutes, ${EXPERIENCE_MINUTES}) * ${MINUTE_MS}
		FROM (SELECT l.stay_id, sum(l.relaxation_points) AS points, count(*) AS count, l.activity_name AS name, max(l.started_at) AS newest, c.minutes
			FROM activity_log l LEFT JOIN catalogue c ON c.id = l.activity_id GROUP BY l.stay_id) AS done
		WHERE stays.id = done.stay_id`,
		`UPDATE stays SET postcards_sent = sent.count
		FROM (SELECT stay_id, count(*) AS count FROM postcards GROUP BY stay_id) AS sent WHERE stays.id = sent.stay_id`,
		`UPDATE experiences SET total_completions = done.count
		FROM (SELECT experience_id, count(*) AS count FROM activity_log WHERE experience_id IS NOT NULL GROUP BY 1) AS done
		WHERE experiences.id = done.experience_id`,
		`UPDATE experiences SET rating_sum = given.sum, total_votes = given.count
		FROM (SELECT experience_id, sum(rating) AS sum, count(*) AS count FROM experience_votes GROUP BY 1) AS given
		WHERE experiences.id = given.experience_id`,
		`UPDATE agents SET last_active = (SELECT max(checked_in_at) FROM stays WHERE agent_id = agents.id)`,
	]) {
		sqlite.run(statement);
	}
}

/**
 * Inserts a key for every agent. The load generator knows only the keys of the guests; no secret matches the
 * others.
 */
function insertKeys(sqlite: Database, size: Size): void {
	const guests = createGuests(sqlite);
	for (const { id, keyId, secretHash } of guests) {
		sqlite.run("INSERT INTO api_keys (key_id, agent_id, secret_hash, created_at) VALUES (?, ?, ?, ?)", [
			keyId,
			id,
			secretHash,
			START_MS,
		]);
	}
	sqlite.run(
		`INSERT INTO api_keys (key_id, agent_id, secret_hash, created_at)
		SELECT printf('%012d', seq), id, unhex(printf('%064x', seq)), created_at FROM agents
		WHERE true ON CONFLICT (agent_id) DO NOTHING`,
	);
	if (guests.length !== size.guests) throw new Error("guests are missing");
}

/** Returns SQL for a pseudorandom number below 2^32, which depends on the row number `i` and the salt. */
function draw(salt: number): string {
	// Every intermediate result is below 2^63, because SQLite would continue with floating-point numbers above
	// it.
	const first = `(((i + ${salt * 7_654_321}) * 2654435761 + 1) & 4294967295)`;
	return `((${first} * 1103515245 >> 15) & 4294967295)`;
}

/** Returns SQL for a UUID of version 7 (RFC 9562) for a time. The row number determines its last digits. */
function uuid(timeMs: string): string {
	return `printf('%08x-%04x-7%03x-8%03x-%012x', ${timeMs} >> 16, ${timeMs} & 65535,
		${draw(9)} & 4095, ${draw(10)} & 4095, (${draw(11)} << 16) + (i & 65535))`;
}
