import { expect, test } from "bun:test";
import { openStore } from "../../src/store/sqlite/sqlite-store.ts";
import { TemporaryFolder } from "../support/temporary-folder.ts";
import { agentIds } from "./rows.ts";
import { Child } from "./spawn.ts";

test("what was acknowledged before kill -9 is in the file, time after time", async () => {
	using folder = new TemporaryFolder();
	const acknowledged = new Set<string>();
	for (let kills = 0; kills < 5; kills++) {
		await using child = new Child("write", folder.file());
		const enough = 1 + Math.floor(Math.random() * 300);
		const before = acknowledged.size;
		while (acknowledged.size < before + enough) {
			const line = (await child.nextLine()) ?? "the child ended";
			expect(line).toMatch(/^[0-9a-f-]{36}$/);
			acknowledged.add(line);
		}
		for (const line of await child.kill()) acknowledged.add(line);
		const store = openStore(folder.file());
		const stored = new Set(agentIds(store));
		const check = store.sqlite.query("PRAGMA integrity_check").values();
		await store.close();
		expect(check).toEqual([["ok"]]);
		expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
	}
	expect(acknowledged.size).toBeGreaterThanOrEqual(5);
}, 60_000);
