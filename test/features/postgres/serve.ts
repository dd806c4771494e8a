/** Starts a cluster, prints its address, and ends it when its own stdin closes. */
import { QUICK, startCluster } from "./support/cluster.ts";

await using cluster = await startCluster({ settings: QUICK });
process.stdout.write(`${cluster.url}\n`);
for await (const _ of process.stdin);
