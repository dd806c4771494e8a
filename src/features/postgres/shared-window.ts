import type { KeyLimit, Window } from "../../core/lib/sliding-window.ts";
import type { EngineRow } from "../../core/store/store.ts";
import type { BoundStatement } from "./batch.ts";

/** The number of calls of `admit` per clean-up. A clean-up deletes at most twice as many expired keys. */
const CALLS_PER_CLEANUP = 64;

/** Runs a statement on any connection. @throws ResortError `unavailable` */
export type RunStatement = (text: string, parameters: BoundStatement["parameters"]) => Promise<EngineRow[]>;

/**
 * Creates a sliding window, for a rate limit, in an unlogged table. Calls do not wait for the disk, but a
 * crash of the server empties the table. The SQL functions are defined in migrations-postgres/.
 */
export function createSharedWindow(run: RunStatement, name: string, windowMs: number): Window {
	let calls = 0;
	const namesOf = (keys: readonly KeyLimit[]) => keys.map(({ key }) => key);
	return {
		async admit(keys, nowMs) {
			if (calls++ % CALLS_PER_CLEANUP === 0) {
				const most = 2 * CALLS_PER_CLEANUP;
				await run("select forget_limits($1, $2)", [nowMs, most]);
			}
			const limits = keys.map(({ limit }) => limit);
			const [row] = await run(
				"select admitted, remaining, reset_seconds from admit($1, $2::text[], $3::int[], $4, $5)",
				[name, namesOf(keys), limits, windowMs, nowMs],
			);
			return {
				admitted: row?.admitted === true,
				remaining: row?.remaining as number,
				resetSeconds: row?.reset_seconds as number,
			};
		},
		async refund(keys, nowMs) {
			const values = [name, namesOf(keys), windowMs, nowMs];
			await run("select give_back($1, $2::text[], $3, $4)", values);
		},
		get size() {
			const text = "select count(*) as keys from limits where name = $1";
			return run(text, [name]).then(([row]) => row?.keys as number);
		},
		async clear() {
			await run("delete from limits where name = $1", [name]);
		},
	};
}
