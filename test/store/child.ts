/**
 * A program that a test starts and kills: `bun child.ts hold|write FILE`.
 * `hold` opens the database, says `open` or why it cannot, and stays. `write` adds one agent after
 * the other, several at a time, and prints the id of each one once it is acknowledged.
 */
import { writeSync } from "node:fs";
import { openStore } from "../../src/store/sqlite/sqlite-store.ts";
import { rule } from "../support/store.ts";
import { insertAgent } from "./rows.ts";

const AT_A_TIME = 8;

const [task, file = ""] = process.argv.slice(2);
try {
	const store = openStore(file);
	if (task === "hold") {
		say("open");
		setInterval(() => {}, 60_000);
	} else {
		await Promise.all(Array.from({ length: AT_A_TIME }, writeForEver));
	}

	async function writeForEver(): Promise<never> {
		for (;;) {
			const id = crypto.randomUUID();
			await store.write(rule(() => insertAgent(store, id)));
			say(id);
		}
	}
} catch (error) {
	say(error instanceof Error ? error.message : String(error));
}

/** Writes at once: what has been said stays said when the program is killed. */
function say(line: string): void {
	writeSync(1, `${line}\n`);
}
