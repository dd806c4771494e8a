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

/** Registers an agent at a serving instance. */
export async function signUp(url: string, profile: object = {}): Promise<Registered> {
	const body = { name: "Ada", ...profile };
	const { agent, apiKey } = await ask(url, "POST", "/api/agents", { key: "", body });
	return { id: agent.id, key: apiKey };
}

/** Registers an agent at a serving instance, and checks it in. */
export async function arrive(url: string, profile?: object) {
	const agent = await signUp(url, profile);
	await ask(url, "POST", "/api/checkin", { key: agent.key });
	return agent;
}

/** The API key and the body of a call. */
interface Sent {
	readonly key?: string | undefined;
	readonly body?: object | undefined;
}

/** Calls a serving instance, and returns the body of the response. Throws if the response is a failure. */
export async function ask(
	url: string,
	method: string,
	path: string,
	{ key = "", body }: Sent = {},
): Promise<Body> {
	const response = await send(url, method, path, { key, body });
	if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
	return (await response.json()) as Body;
}

/** Calls a serving instance, and returns the status and the body of any response. */
export async function call(
	url: string,
	method: string,
	path: string,
	{ key = "", body }: Sent = {},
): Promise<{ readonly status: number; readonly body: Body }> {
	const response = await send(url, method, path, { key, body });
	return { status: response.status, body: (await response.json()) as Body };
}

/** Calls a serving instance, and returns the response unread. */
export function send(
	url: string,
	method: string,
	path: string,
	{ key = "", body }: Sent = {},
): Promise<Response> {
	return fetch(url + path, {
		method,
		headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
		...(body && { body: JSON.stringify(body) }),
	});
}

/** Registers an agent at a serving instance, and returns its id. */
export async function register(url: string, name = "Ada"): Promise<string> {
	const { agent } = await ask(url, "POST", "/api/agents", { key: "", body: { name } });
	return agent.id;
}

/** Registers agents as fast as the resort accepts them, until it is stopped. */
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

/** Returns the result of the integrity check of a database file, and the ids of its agents. */
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
