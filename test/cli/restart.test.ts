/** Tests how an instance continues with the database of an earlier instance. */
import { expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS, toTimestamp } from "../../src/core/lib/clock.ts";
import { migrations } from "../../src/core/store/sqlite/sqlite-migrations.ts";
import { linesOf } from "../core/server/log-of.ts";
import { change, makeDatabaseOf } from "../core/store/older.ts";
import { resortAt } from "../support/calls.ts";
import { useFreshFolder } from "../support/folder.ts";

const folder = useFreshFolder();
const flags = ["serve", "--port", "0"];

test("a stay with maxMinutes ends at its planned time, even if no instance was running at that time", async () => {
	const killed = await folder.serve(flags);
	const { id, key } = await killed.register();
	const { stay } = await killed.send("POST", "/api/checkin", { key, body: { maxMinutes: 90 } });
	await killed.stop("SIGKILL");
	// Moves the stay two hours into the past.
	const by = 2 * HOUR_MS;
	change(folder.file(), `UPDATE stays SET checked_in_at = checked_in_at - ${by}, ends_by = ends_by - ${by}`);
	const endedAt = toTimestamp(Date.parse(`${stay.endsBy}`) - by);
	const next = await folder.serve(flags);
	const status = await next.send("GET", `/api/agents/${id}/status`);
	expect(status).toMatchObject({ status: "available", since: endedAt });
	const { events } = await next.send("GET", "/api/events?since=0");
	expect(events.at(-1)).toMatchObject({ type: "agent.available", reason: "max_stay", at: endedAt });
	await next.stop();
});

test("a start with a shorter `--max-stay` shortens open stays, and a start with a longer one does not lengthen them", async () => {
	const first = await folder.serve(flags);
	const { id } = await first.guest();
	const { key, ...short } = await first.register({ name: "Bob" });
	await first.send("POST", "/api/checkin", { key, body: { maxMinutes: 30 } });
	await first.stop();
	for (const hours of [["2"], ["1"], ["3"], []]) {
		const limit = hours.map((each) => `--max-stay=${each}`);
		const { url, stop } = await folder.serve([...flags, ...limit]);
		const leftMinutes = async (agent: string) => {
			const { stay } = await resortAt(url).send("GET", `/api/agents/${agent}/status`);
			return (Date.parse(`${stay?.endsBy}`) - Date.parse(`${stay?.checkedInAt}`)) / MINUTE_MS;
		};
		expect(await leftMinutes(id)).toBe(hours[0] === "2" ? 120 : 60);
		expect(await leftMinutes(short.id)).toBe(30);
		await stop();
	}
	const { stay } = JSON.parse(await folder.succeed(["admin", "agent", id, "--json"])).agent;
	expect(Date.parse(stay.endsBy) - Date.parse(stay.checkedInAt)).toBe(HOUR_MS);
});

test("serve logs a migration of the database once, with the path of the copy from before the migration", async () => {
	const from = migrations.length - 1;
	makeDatabaseOf(from, folder.file());
	const copy = folder.file(`resort.sqlite.v${from}.bak`);
	for (const told of [[{ level: "INFO", from, to: migrations.length, copy }], []]) {
		const { stderr } = await (await folder.serve(flags)).stop();
		expect(linesOf(stderr, "database migrated")).toMatchObject(told);
	}
});
