/** Stays that outlive the program that began them. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { HOUR_MS, MINUTE_MS, toTimestamp } from "../../src/core/lib/clock.ts";
import { resortAt } from "../support/calls.ts";
import { run, serve } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";

const flags = ["serve", "--port", "0", "--database", "resort.sqlite"];

test("a stay with maxMinutes ends at its time even if the program was killed and no instance ran then", async () => {
	using folder = new TemporaryFolder();
	const place = { cwd: folder.path };
	const killed = await serve(flags, place);
	const { id, key } = await killed.register();
	await killed.send("POST", "/api/checkin", { key, body: { maxMinutes: 90 } });
	await killed.stop("SIGKILL");
	// Moves the stay two hours into the past.
	const database = new Database(join(folder.path, "resort.sqlite"));
	const moved =
		"update stays set checked_in_at = checked_in_at - ?1, ends_by = ends_by - ?1 returning ends_by";
	const [endsBy] = database.query<{ ends_by: number }, [number]>(moved).all(2 * HOUR_MS);
	database.close();
	const endedAt = toTimestamp(endsBy?.ends_by ?? 0);
	const next = await serve(flags, place);
	const status = await next.send("GET", `/api/agents/${id}/status`);
	expect(status).toMatchObject({ status: "available", since: endedAt });
	const { events } = await next.send("GET", "/api/events?since=0");
	expect(events.at(-1)).toMatchObject({ type: "agent.available", reason: "max_stay", at: endedAt });
	await next.stop();
});

test("a start with --max-stay shortens open stays, and a later start never lengthens them", async () => {
	using folder = new TemporaryFolder();
	const place = { cwd: folder.path };
	const first = await serve(flags, place);
	const { id } = await first.guest();
	const { key, ...short } = await first.register({ name: "Bob" });
	await first.send("POST", "/api/checkin", { key, body: { maxMinutes: 30 } });
	await first.stop();
	for (const hours of [["2"], ["1"], ["1"], ["3"], []]) {
		const limit = hours.map((each) => `--max-stay=${each}`);
		const { url, stop } = await serve([...flags, ...limit], place);
		const leftMinutes = async (agent: string) => {
			const { stay } = await resortAt(url).send("GET", `/api/agents/${agent}/status`);
			return (Date.parse(`${stay?.endsBy}`) - Date.parse(`${stay?.checkedInAt}`)) / MINUTE_MS;
		};
		expect(await leftMinutes(id)).toBe(hours[0] === "2" ? 120 : 60);
		expect(await leftMinutes(short.id)).toBe(30);
		await stop();
	}
	const shown = await run(["admin", "agent", id, "--json", "--database", "resort.sqlite"], place);
	const { stay } = JSON.parse(shown.stdout).agent;
	expect(Date.parse(stay.endsBy) - Date.parse(stay.checkedInAt)).toBe(HOUR_MS);
});
