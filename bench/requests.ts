import { join } from "node:path";

/** A request of the load generator. */
export interface SentRequest {
	readonly method: string;
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string;
}

let files = 0;

/**
 * Writes requests to a new file for `bench/lua/requests.lua`.
 * @param folder where the file is created
 * @returns the path of the file
 */
export async function requestsFile(folder: string, requests: readonly SentRequest[]): Promise<string> {
	const file = join(folder, `requests-${++files}`);
	const lines = requests.map(({ method, path, headers, body = "" }) => {
		const fields = Object.entries(headers).map(([name, value]) => {
			return `${name}:${value}`;
		});
		return `${[method, path, fields.join("|"), body].join("\t")}\n`;
	});
	await Bun.write(file, lines.join(""));
	return file;
}
