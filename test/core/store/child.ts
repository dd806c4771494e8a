/**
 * Adds agents to FILE until it is killed, several at a time, and prints the id of each acknowledged one: `bun
 * child.ts FILE`.
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
		// Synchronous, so that a kill loses no line.
		writeSync(1, `${id}\n`);
	}
}

await Promise.all(Array.from({ length: AT_A_TIME }, writeForEver));
