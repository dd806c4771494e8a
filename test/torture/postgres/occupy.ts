import { SQL } from "bun";

const RETRY_MS = 20;

/** The number of concurrent attempts to connect. */
const GREEDY = 8;

/**
 * Opens connections until the database server accepts no more, then closes connections of the instances, and
 * opens others in their place. Returns a function that closes all connections that it opened.
 * @param share the fraction of the instances' connections that is closed, 0 to 1
 */
export async function occupy(url: string, share: number): Promise<() => Promise<void>> {
	const taken: SQL[] = [];
	let isOver = false;
	const take = async () => {
		while (!isOver) {
			const sql = new SQL(url, { max: 1 });
			try {
				await sql`select 1`;
				taken.push(sql);
			} catch {
				await sql.close({ timeout: 0 });
				await Bun.sleep(RETRY_MS);
			}
		}
	};
	const takers = Array.from({ length: GREEDY }, take);
	await Bun.sleep(500);
	const [sql] = taken;
	await sql?.unsafe(
		`select pg_terminate_backend(pid) from pg_stat_activity
			where application_name = 'agent-resort' and random() < $1`,
		[share],
	);
	return async () => {
		isOver = true;
		await Promise.all(takers);
		await Promise.all(taken.map((one) => one.close({ timeout: 0 })));
	};
}
