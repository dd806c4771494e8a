/** Starts a cluster, prints the address of the cluster, and stops the cluster when stdin closes. */
import { QUICK, startCluster } from "./support/cluster.ts";

await using cluster = await startCluster({ settings: QUICK });
process.stdout.write(`${cluster.url}\n`);
for await (const _ of process.stdin);
