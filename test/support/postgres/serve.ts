/**
 * `bun test/support/postgres/serve.ts [VERSION]` starts a cluster for a run of the tests, prints its address, and
 * ends it when its own stdin closes. A loss of power would cost its data.
 */
import { QUICK, startCluster } from "./cluster.ts";

const [version] = process.argv.slice(2);
await using cluster = await startCluster({
	settings: QUICK,
	...(version === undefined ? {} : { version: Number(version) }),
});
process.stdout.write(`${cluster.url}\n`);
for await (const _ of process.stdin);
