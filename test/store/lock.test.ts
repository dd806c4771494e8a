import { describe, expect, test } from "bun:test";
import { StartError } from "../../src/lib/start-error.ts";
import { openStore } from "../../src/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../support/program-folder.ts";
import { thrownBy } from "../support/thrown-by.ts";
import { agentIds, insertAgent } from "./rows.ts";
import { Child } from "./spawn.ts";

const folder = useFreshFolder();

/** What an opening must be refused with. */
const refusal = (file: string) => thrownBy(() => openStore(file)) as StartError;

describe("a database file that is open", () => {
	test("is refused to a second opener, and given after it was closed", async () => {
		const store = openStore(folder.file());
		refusal(folder.file());
		const error = refusal(folder.file());
		expect(error).toBeInstanceOf(StartError);
		expect(error.message).toContain("in use");
		expect(error.message).toContain(folder.file());
		expect(error.message).not.toContain("\n");
		expect(error.exitCode).toBe(1);
		insertAgent(store, "a");
		await store.close();
		const next = openStore(folder.file());
		expect(agentIds(next)).toEqual(["a"]);
		await next.close();
	});

	test("is refused to another process", async () => {
		const store = openStore(folder.file());
		await using child = new Child("hold", folder.file());
		expect(await child.nextLine()).toContain("in use");
		await store.close();
	});

	test("leaves other files in the same folder free", async () => {
		const store = openStore(folder.file("a.sqlite"));
		const other = openStore(folder.file("b.sqlite"));
		insertAgent(store, "a");
		expect(agentIds(other)).toEqual([]);
		await store.close();
		await other.close();
	});
});

describe("a database file of a process that was killed", () => {
	test("is free at once, though its lock file is still there", async () => {
		await using child = new Child("hold", folder.file());
		expect(await child.nextLine()).toBe("open");
		expect(refusal(folder.file()).message).toContain("in use");
		await child.kill();
		expect(Object.keys(folder.contents()).length).toBeGreaterThan(1);
		const store = openStore(folder.file());
		insertAgent(store, "a");
		expect(agentIds(store)).toEqual(["a"]);
		await store.close();
	});
});
