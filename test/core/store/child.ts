/**
 * Adds agents to a database until it is killed, several concurrently, and prints the id of each acknowledged
 * agent: `bun child.ts FILE`.
 */
import { writeSync } from "node:fs";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { rule } from "../../support/store.ts";
import { insertAgent } from "./rows.ts";

const AT_A_TIME = 8;

const [file = ""] = process.argv.slice(2);
const store = openStore(file);

async function writeForEver(): Promise<never> {
	for (;;) {
		const id = crypto.randomUUID();
		await store.write(rule(() => insertAgent(store, id)));
		// Writes synchronously, so that a kill loses no line.
		writeSync(1, `${id}\n`);
	}
}

await Promise.all(Array.from({ length: AT_A_TIME }, writeForEver));
