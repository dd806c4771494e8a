import { fill, type Guest } from "../../bench/rows.ts";
import { openStore } from "../../src/store/sqlite/sqlite-store.ts";

/** How many experiences there are, and how many characters their descriptions have. */
export const EXPERIENCES = 10_000;
const DESCRIPTION = 500;

const size = {
	agents: 20_000,
	stays: 25_000,
	guests: 4_950,
	log: 30_000,
	experiences: EXPERIENCES,
	votes: 1_000,
	postcards: 20_000,
};

/** Who is there. */
export interface Community {
	/** With their keys; the first one has 10,000 postcards of its own. */
	readonly guests: Guest[];
	/** The id of the experience with 20,000 votes. */
	readonly experience: string;
}

/**
 * Makes the database of a large community: 10,000 experiences of the longest, a full house, 20,000 votes for one
 * experience, and a guest with 10,000 postcards of its own.
 * @param path nothing may be there
 */
export async function makeCommunity(
	path: string,
	seed: number,
): Promise<Community> {
	const store = openStore(path);
	const { sqlite } = store;
	sqlite.run("PRAGMA synchronous = OFF");
	sqlite.run("PRAGMA foreign_keys = OFF");
	const guests = sqlite.transaction(() => fill(sqlite, size, seed))();
	const [[experience = ""] = []] = sqlite
		.query<[], []>("SELECT id FROM experiences WHERE seq = 1")
		.values() as [string][];
	sqlite.run(
		`UPDATE experiences SET description = substr(description || ': ' || replace(hex(zeroblob(${DESCRIPTION})), '0', 'z'), 1, ${DESCRIPTION})`,
	);
	sqlite.run(
		`INSERT OR IGNORE INTO experience_votes (id, experience_id, agent_id, rating, created_at)
		SELECT printf('%08x-0000-7000-8000-000000000000', seq), ?, id, 3, created_at FROM agents`,
		[experience],
	);
	sqlite.run(
		`INSERT INTO postcards (id, stay_id, sender_id, recipient_id, message, created_at)
		SELECT printf('%08x-0000-7000-8000-000000000000', a.seq), s.id, s.agent_id, s.agent_id, 'The lake is flat.', a.seq
		FROM agents a JOIN stays s ON s.agent_id = ? AND s.checked_out_at IS NULL WHERE a.seq <= 10000`,
		[guests[0]?.id ?? ""],
	);
	await store.close();
	return { guests, experience };
}
