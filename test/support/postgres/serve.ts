/**
 * `bun test/support/postgres/serve.ts` starts a cluster for a run of the tests, prints its address, and ends it when
 * its own stdin closes. A loss of power would cost its data.
 */
import { QUICK, startCluster } from "./cluster.ts";

await using cluster = await startCluster({ settings: QUICK });
process.stdout.write(`${cluster.url}\n`);
for await (const _ of process.stdin);
