import { operationAt } from "../catalogue.ts";
import type { Command, Context } from "../client-command.ts";
import { Failure } from "../client-failure.ts";
import {
	type Configuration,
	configPath,
	isKeyShaped,
	readConfiguration,
	VARIABLES,
} from "../configuration.ts";
import { removeStored, requireWritable, writeStored } from "../key-file.ts";
import { call, requireAddress } from "../operation-call.ts";
import { askSecret } from "../prompts.ts";
import { agentIdIn, urlFlag } from "./register.ts";

/** Longer than any key. */
const MAX_INPUT_BYTES = 4 * 1024;

/** `login`: stores a key. */
export const login: Command = {
	summary: "Store a key, which is read from stdin",
	words: "",
	flags: { url: urlFlag },
	about: "On a terminal it asks for the key and does not show it.",
	exampleInput: 'echo "$KEY"',
	example: "--url https://resort.example.com",
	async run(context) {
		const { system } = context;
		const configuration = context.configuration();
		requireAddress(configuration);
		const key =
			system.env[VARIABLES.apiKey] ||
			(system.isInteractive
				? await askSecret(system, "Key: ")
				: await readKey(context));
		if (key === "") {
			throw new Failure(
				"login reads the key from stdin, and there was none",
				4,
				`echo "$KEY" | ${system.name} login --url URL`,
			);
		}
		await storeKey(context, configuration, key);
	},
};

/** `logout`: removes the file. The key stays valid. */
export const logout: Command = {
	summary: "Remove the configuration; the key stays valid",
	words: "",
	flags: {},
	async run({ sources, show }) {
		const path = configPath(sources);
		show({ ok: true, removed: removeStored(path) ? path : null });
	},
};

/**
 * Requests the agent of a key from the resort, stores both, and returns the new configuration.
 * @throws Failure with exit code 4 if the key is not valid
 */
export async function storeKey(
	{ sources, show, system }: Context,
	configuration: Configuration,
	key: string,
): Promise<Configuration> {
	const { path, url } = configuration;
	if (!isKeyShaped(key)) throw new Failure("that is not a key", 4);
	if (url !== null) requireWritable(path);
	const body = await call(
		{ ...configuration, key },
		operationAt("GET /api/me"),
		{},
	);
	const agentId = agentIdIn(body);
	writeStored(path, { apiKey: key, agentId, apiUrl: url ?? "" });
	show(body);
	system.report(`the key is in ${path}`);
	return readConfiguration(sources);
}

async function readKey({ system }: Context): Promise<string> {
	let text = "";
	for await (const part of system.input()) {
		text += part;
		if (text.length > MAX_INPUT_BYTES) break;
	}
	return text.trim();
}
