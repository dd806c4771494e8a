import { homedir } from "node:os";
import { join } from "node:path";
import type { CommandLine } from "../core/lib/command-line.ts";
import { UsageError } from "../core/lib/start-error.ts";
import { baseAddress } from "../core/lib/text.ts";
import { Failure } from "./client-failure.ts";
import { isSameOrigin, readStored, type Stored } from "./key-file.ts";

/** The environment variables that override the configuration file. */
export const VARIABLES = {
	apiKey: "RESORT_API_KEY",
	agentId: "RESORT_AGENT_ID",
	apiUrl: "RESORT_API_URL",
} as const;

const FILE_NAME = ".agent-resort.json";

/**
 * Matches a key that can be a header value. Other keys are refused before a request, because otherwise an
 * error message of Node would contain the key.
 */
const KEY = /^[\x21-\x7e]{1,1024}$/;

/** Matches 127.0.0.0/8, ::1 and localhost in the form that the URL parser produces. */
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|localhost)$/;

/** The flags `config`, `url` and `insecure`. */
type Flags = CommandLine["flags"];

/** The configuration that results from the file, the environment and the flags. */
export interface Configuration {
	readonly path: string;
	readonly stored: Stored | null;
	/** The address of the resort, without a trailing slash; null if no address is configured. */
	readonly url: string | null;
	/** The key that may be sent to `url`; null if there is no such key. */
	readonly key: string | null;
	readonly isStoredKey: boolean;
	readonly agentId: string | null;
	readonly warnings: readonly string[];
}

/** Returns the path of the configuration file. @throws UsageError for an empty `--config` */
export function configPath({ config }: Flags, env: NodeJS.ProcessEnv): string {
	if (config === undefined) return join(env.HOME || homedir(), FILE_NAME);
	if (config === "") {
		throw new UsageError("--config: must be the path of a file");
	}
	// Removes trailing slashes, because no file can be created under a path that ends with a slash.
	return config.replace(/(?<=.)\/+$/, "");
}

/**
 * Reads the configuration. A key from the environment is used for any address, but a key from the file only
 * for the origin that is stored with the key.
 * @throws Failure with exit code 1 for an invalid file, 2 for a refused address, 4 for an invalid key;
 * UsageError
 */
export function readConfiguration(flags: Flags, env: NodeJS.ProcessEnv): Configuration {
	const path = configPath(flags, env);
	const variable = (name: keyof typeof VARIABLES) => env[VARIABLES[name]]?.trim() || null;
	const { stored, isShared } = readStored(path);
	const addresses = [
		["--url", flags.url],
		[VARIABLES.apiUrl, variable("apiUrl")],
		[path, stored?.apiUrl],
	] as const;
	const isInsecure = flags.insecure !== undefined;
	const [source, address] = addresses.find(([, text]) => text) ?? [path];
	const url = address ? resortAddress(address, source, isInsecure) : null;
	const isOwn = stored && url && isSameOrigin(stored.apiUrl, url);
	const own = isOwn ? stored : null;
	const envKey = variable("apiKey");
	const key = envKey ?? own?.apiKey ?? null;
	if (key !== null && !isKeyShaped(key)) {
		const source = envKey === null ? path : VARIABLES.apiKey;
		throw new Failure(`${source}: the key has invalid characters`, 4);
	}
	const warnings: string[] = [];
	if (isShared) warnings.push(`others can read ${path}: run chmod 600`);
	if (envKey === null && stored !== own) {
		warnings.push(`the key in ${path} is for ${stored?.apiUrl} and was not used`);
	}
	return {
		path,
		stored,
		url,
		key,
		warnings,
		isStoredKey: envKey === null && own !== null,
		agentId: variable("agentId") ?? own?.agentId ?? null,
	};
}

/**
 * Validates the address of a resort, and removes a trailing slash.
 * @param source where the address comes from, for error messages
 * @throws UsageError if the address is invalid; Failure with exit code 2 if keys must not be sent to it
 */
export function resortAddress(text: string, source: string, insecure: boolean): string {
	const address = baseAddress(text);
	if (address === undefined) {
		throw new UsageError(
			`${source}: must be an address such as https://resort.example, without a user name, query or fragment`,
		);
	}
	const { protocol, hostname } = new URL(address);
	if (protocol === "http:" && !insecure && !LOOPBACK.test(hostname)) {
		throw new Failure(
			`${source}: http: to ${hostname} would show the key to everyone on the network path`,
			2,
			"use https:, or --insecure if you trust the network",
		);
	}
	return address;
}

/** Whether a text has the form of a key. */
export function isKeyShaped(text: string): boolean {
	return KEY.test(text);
}
