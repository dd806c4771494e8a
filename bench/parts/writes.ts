import type { Bench } from "../bench.ts";
import { loadInTurns } from "../load.ts";
import { startBare, startResort } from "../process.ts";
import { judge, printFigures, type Verdict } from "../report.ts";

/** POST /api/activities/{id}/do of random guests, beside bare servers that write the same rows. */
export async function writes(bench: Bench): Promise<Verdict[]> {
	const { main, seconds, rounds } = bench.options;
	const ours = await bench.database(main);
	const [second, third] = [
		await bench.database(main),
		await bench.database(main),
	];
	const resort = await startResort(ours.database);
	const single = await startBare("writes", second.database, "single");
	const group = await startBare("writes", third.database, "group");
	const servers = [resort, single, group];
	const [resortFigures, singleFigures, groupFigures] = await loadInTurns(
		servers.map((server) => ({
			server,
			seconds,
			script: ["do-activity", ours.guests],
		})),
		rounds,
	);
	await Promise.all(servers.map((server) => server.stop()));
	if (!resortFigures || !singleFigures || !groupFigures) return [];
	printFigures("POST /api/activities/{id}/do, 32 clients, each write on disk", [
		["resort", resortFigures],
		["Bun.serve, a transaction a request", singleFigures],
		["Bun.serve, group commit", groupFigures],
	]);
	const shared = { what: "do", ours: resortFigures, by: "requests" } as const;
	return judge([
		{
			...shared,
			against: "a transaction a request",
			theirs: singleFigures,
			goal: 2.7,
		},
		{ ...shared, against: "group commit", theirs: groupFigures, goal: 0.7 },
	]);
}
