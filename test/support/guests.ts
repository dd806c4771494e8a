import { Database } from "bun:sqlite";
import { ask } from "./visit.ts";

/** Registers an agent at a resort that serves, and gives its id once it is acknowledged. */
export async function register(url: string, name = "Ada"): Promise<string> {
	const { agent } = await ask(url, "POST", "/api/agents", { key: "", body: { name } });
	return agent.id;
}

/** Registers agents as fast as the resort accepts them, until it is stopped. */
export function registerAtFullSpeed(url: string) {
	const acknowledged: string[] = [];
	let going = true;
	const writers = Array.from({ length: 16 }, async () => {
		while (going) acknowledged.push(await register(url));
	});
	return {
		acknowledged,
		async more(count: number): Promise<void> {
			const enough = acknowledged.length + count;
			while (acknowledged.length < enough) await Bun.sleep(1);
		},
		async stop(): Promise<void> {
			going = false;
			await Promise.all(writers);
		},
		async [Symbol.asyncDispose]() {
			going = false;
			await Promise.allSettled(writers);
		},
	};
}

/** What a database file holds, and whether SQLite finds it sound. */
export function look(file: string): { readonly integrity: unknown; readonly ids: ReadonlySet<unknown> } {
	const sqlite = new Database(file, { readonly: true });
	try {
		const integrity = sqlite.query("PRAGMA integrity_check").values();
		const ids = sqlite.query("SELECT id FROM agents").values().flat();
		return { integrity, ids: new Set(ids) };
	} finally {
		sqlite.close();
	}
}
