import type { SentRequest } from "./load.ts";
import type { Running } from "./process.ts";

/** An answer of the resort that the bare server repeats. */
export interface RecordedAnswer {
	readonly path: string;
	readonly body: string;
	/** The header fields, without those that the runtime adds and those that differ in every answer. */
	readonly headers: Readonly<Record<string, string>>;
}

const AT_ONCE = 64;
const DIFFERING = ["date", "content-length", "x-request-id"];

/**
 * Sends each request to the resort once, and writes the answers to a file, with one JSON object per line.
 * @throws Error if an answer is not 200
 */
export async function recordAnswers(
	{ url }: Running,
	requests: readonly SentRequest[],
	file: string,
): Promise<void> {
	const lines: string[] = [];
	await forEach(requests, async ({ path, headers }) => {
		const response = await fetch(url + path, { headers: { ...headers, "accept-encoding": "identity" } });
		if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
		const kept = response.headers.entries().filter(([name]) => !DIFFERING.includes(name));
		const answer: RecordedAnswer = { path, body: await response.text(), headers: Object.fromEntries(kept) };
		lines.push(JSON.stringify(answer));
	});
	await Bun.write(file, `${lines.join("\n")}\n`);
}

/** Requests the status of every agent once. */
export function askForAll({ url }: Running, ids: readonly string[]): Promise<void> {
	return forEach(ids, async (id) => {
		await (await fetch(`${url}/api/agents/${id}/status`)).arrayBuffer();
	});
}

/** Calls `use` for each item, for up to 64 items at a time. */
async function forEach<T>(items: readonly T[], use: (item: T) => Promise<void>): Promise<void> {
	const queue = items.values();
	const next = async () => {
		for (const item of queue) await use(item);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, next));
}
