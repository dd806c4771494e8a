import type { Agent } from "../../core/resort/agents/service.ts";
import type { Store } from "../../core/store/store.ts";
import type { Task } from "../../core/store/task.ts";
import { lockAgent } from "./any-agent.ts";

/**
 * The maximum number of rows and the maximum time of one transaction, because other writes wait for it. The
 * number alone does not bound the time: rows that are not in memory take long to read.
 */
export const ROWS_PER_CHANGE = 100;
const CHANGE_MS = 10;

/** The pause between two transactions, in which other processes can take the write lock of SQLite. */
const PAUSE_MS = 10;

/**
 * Changes many rows of an agent in several transactions, each of which locks the agent's row.
 * @param change changes one row; receives the agent as read in the same transaction
 */
export async function changeRows<Row>(
	store: Store,
	agentId: string,
	rows: readonly Row[],
	change: (row: Row, agent: Agent) => Task<void>,
): Promise<void> {
	for (let done = 0; done < rows.length; await Bun.sleep(PAUSE_MS)) {
		const some = rows.slice(done, done + ROWS_PER_CHANGE);
		done += await store.write(function* () {
			const endMs = performance.now() + CHANGE_MS;
			const agent = yield* lockAgent(store, agentId);
			for (const [at, row] of some.entries()) {
				yield* change(row, agent);
				if (performance.now() >= endMs) return at + 1;
			}
			return some.length;
		});
	}
}
