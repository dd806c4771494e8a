import { Database } from "bun:sqlite";
import { resortAt } from "./calls.ts";

/** Registers an agent at a serving instance, checks it in, does an activity, and opens a session. */
export async function visit(url: string) {
	const resort = resortAt(url);
	const { brief } = await resort.send("POST", "/api/agents");
	const { id: agent, key } = await resort.register();
	const { stay } = await resort.checkIn({ id: agent, key });
	const activity = "/api/activities/tidepool-float/do";
	const { reflection } = await resort.send("POST", activity, { key });
	const { ambiance } = await resort.send("GET", "/api/lobby");
	const session = await resort.call("POST", "/api/session", { body: { apiKey: key } });
	return {
		brief,
		agent,
		apiKey: key,
		stay: stay.id,
		room: stay.roomName,
		reflection,
		ambiance,
		cookie: session.headers.get("set-cookie")?.split(";")[0],
	};
}

/** Registers agents as fast as the resort accepts them, until `stop` is called. */
export function registerAtFullSpeed(url: string) {
	const acknowledged: string[] = [];
	let going = true;
	const writers = Array.from({ length: 16 }, async () => {
		while (going) acknowledged.push((await resortAt(url).register()).id);
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

/** Returns the ids of the agents in a database file, and the result of SQLite's integrity check. */
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
