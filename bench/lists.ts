/**
 * Measures what lists cost in a small and in a large community, through the whole application but without
 * a network: milliseconds an answer, median. `bench/README.md` says how to read it.
 */
import type { Database } from "bun:sqlite";
import type { Fetch } from "../src/http/app.ts";
import { openStore } from "../src/store/sqlite/sqlite-store.ts";
import { applicationOn } from "./application.ts";

const sizes = {
	small: { experiences: 100, votes: 2_000, postcards: 1_000 },
	large: { experiences: 10_000, votes: 200_000, postcards: 100_000 },
};

const paths = [
	"/api/experiences?limit=20",
	"/api/experiences?sort=newest&limit=20",
	"/api/experiences?sort=popular&limit=20",
	"/api/experiences?category=category%207&limit=20",
	"/api/experiences?limit=20&offset=90",
	"/api/experiences/leaderboard",
	"/api/experiences/leaderboard?category=category%207",
	"/api/postcards",
	"/api/postcards?offset=900",
	"/api/postcards?offset=90000",
	"/api/experiences",
] as const;

const REPEATS = 200;
const AGENTS = 1_000;

const small = await open(sizes.small);
const large = await open(sizes.large);
process.stdout.write(
	`ms an answer, median of ${REPEATS}\n${"".padEnd(52)}${"small".padStart(9)}${"large".padStart(9)}${"bytes".padStart(12)}\n`,
);
for (const path of paths) {
	const [a, b] = [await time(small, path), await time(large, path)];
	process.stdout.write(
		`${path.padEnd(52)}${a.ms.toFixed(3).padStart(9)}${b.ms.toFixed(3).padStart(9)}${String(b.bytes).padStart(12)}\n`,
	);
}

async function time(
	fetch: Fetch,
	path: string,
): Promise<{ ms: number; bytes: number }> {
	const times: number[] = [];
	let bytes = 0;
	for (let turn = 0; turn < REPEATS; turn++) {
		const startedAt = performance.now();
		const response = await fetch(new Request(`http://resort.test${path}`));
		bytes = (await response.text()).length;
		times.push(performance.now() - startedAt);
		if (!response.ok) throw new Error(`${path}: ${response.status}`);
	}
	return { ms: times.sort((x, y) => x - y)[REPEATS / 2] ?? Number.NaN, bytes };
}

async function open(size: (typeof sizes)["small"]): Promise<Fetch> {
	const store = openStore(":memory:");
	store.sqlite.transaction(() => fill(store.sqlite, size))();
	return applicationOn(store, false);
}

function fill(sqlite: Database, size: (typeof sizes)["small"]): void {
	const numbers =
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
	const uuid = (prefix: string) =>
		`'${prefix}' || printf('%08x-0000-7000-8000-%012x', i, i)`;
	sqlite.run(
		`${numbers} INSERT INTO agents (id, name, relaxation_style, comfort_objects, interests, created_at)
		SELECT ${uuid("")}, 'Guest ' || i, '[]', '[]', '[]', i FROM n`,
		[AGENTS],
	);
	sqlite.run(
		`INSERT INTO stays (id, agent_id, room_type, room_number, checked_in_at)
		SELECT id, id, 'Oasis Tent', 1, seq FROM agents`,
	);
	sqlite.run(
		`${numbers} INSERT INTO experiences (id, creator_id, name, category, category_key, description, location, duration_minutes, relaxation_points, created_at, total_completions)
		SELECT ${uuid("exp-")}, (SELECT id FROM agents WHERE seq = 1 + i % ${AGENTS}), 'Experience ' || i, 'Category ' || (i % 20), 'category ' || (i % 20), 'A description of some length, ' || i, 'Somewhere', 30, 3, i, i * 7919 % 1000 FROM n`,
		[size.experiences],
	);
	// Each experience has its share of votes, each by another agent.
	sqlite.run(
		`${numbers} INSERT INTO experience_votes (id, experience_id, agent_id, rating, created_at)
		SELECT ${uuid("")}, e.id, a.id, 1 + i * 31 % 5, i FROM n
		JOIN experiences e ON e.seq = 1 + (i - 1) % ${size.experiences}
		JOIN agents a ON a.seq = 1 + (i - 1) / ${size.experiences}`,
		[size.votes],
	);
	sqlite.run(`UPDATE experiences SET
		rating_sum = (SELECT sum(rating) FROM experience_votes v WHERE v.experience_id = experiences.id),
		total_votes = (SELECT count(*) FROM experience_votes v WHERE v.experience_id = experiences.id)`);
	sqlite.run(
		`${numbers} INSERT INTO postcards (id, stay_id, sender_id, message, created_at)
		SELECT ${uuid("")}, s.id, s.agent_id, 'Wish you were here ' || i, i FROM n JOIN stays s ON s.seq = 1 + i % ${AGENTS}`,
		[size.postcards],
	);
}
