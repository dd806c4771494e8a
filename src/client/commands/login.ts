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
import { ask } from "../prompts.ts";
import { resortAddress } from "../resort-address.ts";
import { agentIdIn, registerAgent, urlFlag } from "./register.ts";

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
				? await ask(system, "Key: ", true)
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
async function storeKey(
	{ sources, show, system }: Context,
	configuration: Configuration,
	key: string,
): Promise<Configuration> {
	const { path } = configuration;
	const apiUrl = requireAddress(configuration);
	if (!isKeyShaped(key)) throw new Failure("that is not a key", 4);
	requireWritable(path);
	const body = await call(
		{ ...configuration, key },
		operationAt("GET /api/me"),
		{},
	);
	const agentId = agentIdIn(body);
	writeStored(path, { apiKey: key, agentId, apiUrl });
	show(body);
	system.report(`the key is in ${path}`);
	return readConfiguration(sources);
}

/** Asks the person on the terminal for the address, and for a key or the name of a new agent. @throws Failure */
export async function setUp(
	context: Context,
	previous: Configuration,
): Promise<Configuration> {
	const { system, sources } = context;
	const url =
		previous.url ??
		resortAddress(
			await ask(system, "Address of the resort: "),
			"the address",
			sources.insecure,
		);
	const configuration = { ...previous, url };
	const key = await ask(system, "Key, or nothing to register anew: ", true);
	if (key !== "") return storeKey(context, configuration, key);
	const name = await ask(system, "Name of the agent: ");
	return registerAgent(context, configuration, { name });
}

async function readKey({ system }: Context): Promise<string> {
	let text = "";
	for await (const part of system.input()) {
		text += part;
		if (text.length > MAX_INPUT_BYTES) break;
	}
	return text.trim();
}
