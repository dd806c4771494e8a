import { Database } from "bun:sqlite";
import { describe, expect } from "bun:test";
import { resortAt } from "../../../support/calls.ts";
import { useEmptied } from "../../../support/folder.ts";
import { permissionsOf } from "../../../support/user.ts";
import { look, visit } from "../../../support/visit.ts";
import { change } from "../support/databases.ts";
import { newDatabase, openPostgres } from "../support/shared.ts";
import { testOnPostgres as test } from "../support/test-on-postgres.ts";
import { CopyFolder, stateOf } from "./copy-folder.ts";
import { fillFile, LAST_EVENT_ID } from "./filled.ts";
import { readDatabase, readFile, schemaOf } from "./read-all.ts";

const folder = useEmptied(new CopyFolder());

describe("`resort copy`", () => {
	test("copies the schema and every row of every table to PostgreSQL and back", async () => {
		await fillFile(folder.file());
		const url = await newDatabase();
		const before = readFile(folder.file());
		const bytes = folder.files();
		const there = await folder.copyWell("resort.sqlite", url);
		expect(folder.files()).toEqual(bytes);
		expect(await readDatabase(url)).toEqual(before);
		// The copy has the same indexes, references and sequences as a new database.
		const schema = await schemaOf(await newDatabase({ withTables: true }));
		expect(schema.length).toBeGreaterThan(150);
		expect(await schemaOf(url)).toEqual(schema);
		const counts = Object.entries(before).map(([name, rows]) => {
			expect(rows.length, name).toBeGreaterThan(0);
			return [name, rows.length];
		});
		const told = Object.entries(there.tables);
		expect(told.map(([name, { rows }]) => [name, rows]).toSorted()).toEqual(counts.toSorted());

		const state = await stateOf(url);
		const back = await folder.copyWell(url, "back.sqlite");
		expect(await stateOf(url)).toEqual(state);
		expect(readFile(folder.file("back.sqlite"))).toEqual(before);
		expect(back.tables).toEqual(there.tables);
		expect(back.copy).toBe(folder.file("back.sqlite"));
		expect(permissionsOf(folder.file("back.sqlite"))).toBe(0o600);
		expect(look(folder.file("back.sqlite")).integrity).toEqual([["ok"]]);
		expect(pragmas("back.sqlite")).toEqual(pragmas("resort.sqlite"));
		// In WAL mode, byte 18 of a database file is 2.
		expect((await Bun.file(folder.file("back.sqlite")).bytes())[18]).toBe(2);
		expect(Object.keys(folder.contents()).join()).not.toContain(".tmp");
	});

	test("keeps keys, sessions and open stays valid, and event ids ascending", async () => {
		const url = await newDatabase();
		let at = await folder.serve(["--port", "0"]);
		const guest = await visit(at.url);
		await at.stop();
		forgetEvents(folder.file());
		// The target has empty tables, as if a resort had been started on it but had no guests.
		await (await openPostgres(url)).close();
		await folder.copyWell("resort.sqlite", url);

		at = await folder.serve(["--port", "0", "--database", url]);
		await leaveAndComeBack(at.url, guest);
		const second = await visit(at.url);
		await at.stop();
		const ids = (await readDatabase(url)).events?.map(idOf) ?? [];
		expect(Math.min(...ids)).toBe(LAST_EVENT_ID + 1);

		await change(url, "delete from events");
		await folder.copyWell(url, "back.sqlite");
		at = await folder.serve(["--port", "0", "--database", "back.sqlite"]);
		await leaveAndComeBack(at.url, guest);
		await leaveAndComeBack(at.url, second);
		await visit(at.url);
		await at.stop();
		const later = readFile(folder.file("back.sqlite")).events?.map(idOf);
		expect(Math.min(...(later ?? []))).toBe(Math.max(...ids) + 1);
	});
});

function pragmas(name: string): unknown {
	using sqlite = new Database(folder.file(name), { readonly: true });
	const names = "application_id user_version auto_vacuum encoding page_size foreign_key_check";
	const found = names.split(" ").map((one) => sqlite.query(`PRAGMA ${one}`).values());
	const schema = sqlite.query("SELECT sql FROM sqlite_schema ORDER BY sql").values();
	const sequence = sqlite.query("SELECT seq FROM sqlite_sequence WHERE name = 'events'").values();
	return [...found, schema, sequence];
}

function forgetEvents(file: string): void {
	using sqlite = new Database(file);
	sqlite.run("INSERT INTO events (id, type, at, agent_id) VALUES (?, '', 1, '')", [LAST_EVENT_ID]);
	sqlite.run("DELETE FROM events");
}

function idOf(event: string): number {
	return Number(/\bid=(\d+)/.exec(event)?.[1]);
}

/** Checks out an agent that was checked in before the copy, and checks it in again. */
async function leaveAndComeBack(
	url: string,
	{ agent, apiKey, stay, cookie = "" }: Awaited<ReturnType<typeof visit>>,
): Promise<void> {
	const bySession = await fetch(`${url}/api/me`, { headers: { cookie } });
	expect(bySession.status).toBe(200);
	const me = await resortAt(url).send("GET", "/api/me", { key: apiKey });
	expect(me.agent.id).toBe(agent);
	const status = await resortAt(url).send("GET", `/api/agents/${agent}/status`);
	expect(status.status).toBe("relaxing");
	await resortAt(url).send("POST", "/api/checkout", { key: apiKey });
	const again = await resortAt(url).send("POST", "/api/checkin", { key: apiKey });
	expect(again.stay.id).not.toBe(stay);
}
