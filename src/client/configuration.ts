import { join } from "node:path";
import { UsageError } from "../lib/start-error.ts";
import { Failure } from "./client-failure.ts";
import { CONFIG_NAME, readStored, type Stored } from "./key-file.ts";
import { isSameOrigin, resortAddress } from "./resort-address.ts";

/** The variables that win over the file. */
export const VARIABLES = {
	apiKey: "RESORT_API_KEY",
	agentId: "RESORT_AGENT_ID",
	apiUrl: "RESORT_API_URL",
} as const;

/** What can stand in a header field; Node would show another key in its own words. */
const KEY = /^[\x21-\x7e]{1,1024}$/;

/** Where a configuration comes from. */
export interface Sources {
	/** The value of `--config`; the file in the home directory when undefined. */
	readonly config?: string | undefined;
	/** The value of `--url`. */
	readonly url?: string | undefined;
	/** Whether `http:` is taken for every host. */
	readonly insecure: boolean;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly home: string;
}

/** The configuration in force. */
export interface Configuration {
	/** The file's path, also when there is none. */
	readonly path: string;
	readonly stored: Stored | null;
	/** Without a slash at its end; null when nothing tells it. */
	readonly url: string | null;
	/** The key that may go to that address; null when there is none. */
	readonly key: string | null;
	/** Whether that key is the one of the file. */
	readonly isStoredKey: boolean;
	readonly agentId: string | null;
	/** What its owner should know, a line each. */
	readonly warnings: readonly string[];
}

/**
 * The path of the configuration file.
 * @throws Failure with exit code 2 for an empty `--config`
 */
export function configPath({ config, home }: Sources): string {
	if (config === undefined) return join(home, CONFIG_NAME);
	if (config === "")
		throw new UsageError("--config: must be the path of a file");
	// Without the slash at its end, with which a file that is not there yet cannot be made.
	return config.replace(/(?<=.)\/+$/, "");
}

/**
 * Reads the configuration. A key of the file is given only for the origin that it was stored for; one of the
 * environment goes to the address in force.
 * @throws Failure with exit code 1 for a broken file, 2 for a refused address, 4 for a key that cannot be one
 */
export function readConfiguration(sources: Sources): Configuration {
	const { env, url: flag, insecure } = sources;
	const path = configPath(sources);
	const { stored, isShared } = readStored(path);
	const named = [
		["--url", flag],
		[VARIABLES.apiUrl, env[VARIABLES.apiUrl]],
		[path, stored?.apiUrl],
	].find(([, text]) => text);
	const url =
		named === undefined
			? null
			: resortAddress(named[1] ?? "", named[0] ?? "", insecure);
	const envKey = env[VARIABLES.apiKey] || null;
	const isStoredsOrigin =
		stored !== null && url !== null && isSameOrigin(stored.apiUrl, url);
	const fileKey = isStoredsOrigin ? stored.apiKey : null;
	const key = envKey ?? fileKey;
	if (key !== null && !KEY.test(key)) {
		const source = envKey === null ? path : VARIABLES.apiKey;
		throw new Failure(`${source}: no key has such characters`, 4);
	}
	return {
		path,
		stored,
		url,
		key,
		isStoredKey: envKey === null && fileKey !== null,
		agentId:
			env[VARIABLES.agentId] || (isStoredsOrigin ? stored.agentId : null),
		warnings: [
			...(isShared ? [`others may read ${path}: chmod 600 it`] : []),
			...(envKey === null && stored !== null && !isStoredsOrigin
				? [`the key in ${path} is for ${stored.apiUrl} and was not used`]
				: []),
		],
	};
}

/** Whether a text can be a key at all. */
export function isKeyShaped(text: string): boolean {
	return KEY.test(text);
}
