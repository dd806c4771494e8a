import type { Running } from "./process.ts";

/** An answer of the resort, for the bare server to repeat. */
export interface RecordedAnswer {
	readonly path: string;
	readonly body: string;
	/** The header fields, except those that the runtime adds and those that differ from answer to answer. */
	readonly headers: Readonly<Record<string, string>>;
}

/** A request whose answer is recorded. */
export interface RecordedRequest {
	readonly path: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** The body of a POST; a GET has none. */
	readonly body?: string;
}

const AT_ONCE = 64;
const DIFFERING = ["date", "content-length", "x-request-id"];

/**
 * Sends requests to the resort once, and writes the answers to a file, one a line as JSON.
 * @throws Error if an answer is not 200
 */
export async function recordAnswers(
	{ url }: Running,
	requests: readonly RecordedRequest[],
	file: string,
): Promise<void> {
	const lines: string[] = [];
	const queue = requests.values();
	const record = async () => {
		for (const { path, headers, body } of queue) {
			const response = await fetch(url + path, {
				method: body === undefined ? "GET" : "POST",
				headers: { "accept-encoding": "identity", ...headers },
				...(body !== undefined && { body }),
			});
			if (response.status !== 200) {
				throw new Error(`${path} returned ${response.status}`);
			}
			const kept = response.headers.entries().filter(([name]) => {
				return !DIFFERING.includes(name);
			});
			const answer: RecordedAnswer = { path, body: await response.text(), headers: Object.fromEntries(kept) };
			lines.push(JSON.stringify(answer));
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, record));
	await Bun.write(file, `${lines.join("\n")}\n`);
}
