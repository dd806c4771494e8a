import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../lib/environment.ts";
import { codeOf, reasonOf } from "../lib/failure.ts";
import { StartError } from "../lib/start-error.ts";

/** Where the command-line client keeps its configuration, in the home directory. */
const FILE = ".agent-resort.json";

/** What of the client's configuration is needed to call a resort; null is what nobody has said. */
export interface ClientConfig {
	readonly apiUrl: string | null;
	/**
	 * The key for an address: that of the environment for any, that of the file only for the origin that it was
	 * stored for.
	 */
	keyFor(address: string): string | null;
}

/**
 * Reads the configuration of the command-line client; a variable wins over the file.
 * @param path of the file; the one in the home directory when left out
 * @throws StartError with exit code 1 when the file is broken
 */
export function readClientConfig(
	environment: Environment,
	path = join(environment.HOME || homedir(), FILE),
): ClientConfig {
	const stored = readStored(path);
	const {
		RESORT_API_KEY: key = "",
		RESORT_API_URL: url = stored.apiUrl ?? "",
	} = environment;
	return {
		apiUrl: url || null,
		keyFor(address) {
			if (key !== "") return key;
			const origin = stored.apiUrl && URL.parse(stored.apiUrl)?.origin;
			return origin === URL.parse(address)?.origin
				? (stored.apiKey ?? null)
				: null;
		},
	};
}

interface Stored {
	readonly apiKey?: string;
	readonly apiUrl?: string;
}

/** @throws StartError with exit code 1 */
function readStored(path: string): Stored {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		if (codeOf(error) === "ENOENT") return {};
		throw new StartError(`${path}: cannot be read: ${reasonOf(error)}`, 1);
	}
	const stored = parse(text);
	const isSound =
		stored !== null &&
		[stored.apiKey, stored.apiUrl].every(
			(value) => value === undefined || typeof value === "string",
		);
	if (!isSound) {
		throw new StartError(
			`${path}: must be a JSON object with apiKey, agentId and apiUrl`,
			1,
		);
	}
	return stored;
}

function parse(text: string): Stored | null {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && !Array.isArray(value) ? value : null;
	} catch {
		return null;
	}
}
