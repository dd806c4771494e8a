import { expect, test } from "bun:test";
import { join } from "node:path";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { TemporaryFolder } from "../../support/folder.ts";
import { agentIds } from "./rows.ts";

const LINE_LENGTH = `${crypto.randomUUID()}\n`.length;

test("a killed program has stored every change that it acknowledged before SIGKILL", async () => {
	using folder = new TemporaryFolder();
	let acknowledged = "";
	for (let kills = 0; kills < 5; kills++) {
		const child = Bun.spawn([process.execPath, join(import.meta.dir, "child.ts"), folder.file()], {
			stdout: "pipe",
			stderr: "inherit",
		});
		const ids = 1 + Math.floor(Math.random() * 300);
		const enough = acknowledged.length + ids * LINE_LENGTH;
		for await (const chunk of child.stdout) {
			acknowledged += Buffer.from(chunk).toString();
			if (acknowledged.length >= enough) child.kill("SIGKILL");
		}
		await child.exited;
		expect(child.signalCode).toBe("SIGKILL");
		const store = openStore(folder.file());
		const stored = new Set(agentIds(store));
		const check = store.sqlite.query("PRAGMA integrity_check").values();
		await store.close();
		expect(check).toEqual([["ok"]]);
		const missing = acknowledged.split("\n").filter((id) => !stored.has(id));
		expect(missing).toEqual([""]);
	}
}, 60_000);
