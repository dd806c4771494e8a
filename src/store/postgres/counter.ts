import type { Verdict } from "../../lib/sliding-window.ts";
import type {
	CountedKey,
	EngineRow,
	RateLimitCounter,
	Value,
} from "../store.ts";
import { toResortError } from "./failures.ts";

/** After so many calls, up to twice as many keys are forgotten whose calls no longer count. */
const CALLS_PER_CLEANUP = 64;

/** Asks one question on any connection. */
type Query = (
	text: string,
	parameters: readonly (Value | readonly Value[])[],
) => Promise<EngineRow[]>;

const ADMIT =
	"select admitted::int, remaining, reset_seconds from admit($1, $2::text[], $3::int[], $4, $5)";
const GIVE_BACK = "select give_back($1, $2::text[], $3, $4)";
const FORGET = "select forget_limits($1, $2)";
const COUNT = "select count(*) as keys from limits where name = $1";
const CLEAR = "delete from limits where name = $1";

/**
 * Counts calls in a table that is not logged: nobody waits for the disk, and after a crash of the server the windows
 * begin anew. The functions are in migrations-postgres/.
 */
export function counterOf(query: Query): RateLimitCounter {
	let calls = 0;
	const ask: Query = async (text, parameters) => {
		try {
			return await query(text, parameters);
		} catch (error) {
			throw toResortError(error);
		}
	};
	return {
		async admit(name, keys, windowMs, nowMs): Promise<Verdict> {
			if (calls++ % CALLS_PER_CLEANUP === 0) {
				await ask(FORGET, [nowMs, 2 * CALLS_PER_CLEANUP]);
			}
			const limits = keys.map(({ limit }) => limit);
			const values = [name, names(keys), limits, windowMs, nowMs];
			const [row] = await ask(ADMIT, values);
			return {
				admitted: row?.admitted === 1,
				remaining: row?.remaining as number,
				resetSeconds: row?.reset_seconds as number,
			};
		},
		async refund(name, keys, windowMs, nowMs) {
			await ask(GIVE_BACK, [name, names(keys), windowMs, nowMs]);
		},
		async count(name) {
			const [row] = await ask(COUNT, [name]);
			return row?.keys as number;
		},
		async clear(name) {
			await ask(CLEAR, [name]);
		},
	};
}

function names(keys: readonly CountedKey[]): string[] {
	return keys.map(({ key }) => key);
}
