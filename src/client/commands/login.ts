import { call, requireAddress } from "../call.ts";
import { operationAt } from "../catalogue.ts";
import type { Command, Context } from "../command.ts";
import {
	type Configuration,
	configPath,
	isKeyShaped,
	readConfiguration,
	VARIABLES,
} from "../configuration.ts";
import { Failure } from "../failure.ts";
import { askSecret } from "../questions.ts";
import { removeStored, requireWritable, writeStored } from "../stored.ts";
import { agentIdIn, urlFlag } from "./register.ts";

/** More than any key has. */
const MAX_INPUT_BYTES = 4 * 1024;

/** `login`: keeps a key that somebody has. */
export const login: Command = {
	summary: "Keep a key, which is read from stdin",
	words: "",
	count: [0, 0],
	flags: { url: urlFlag },
	about: "On a terminal it asks for the key, without showing it.",
	exampleInput: 'echo "$KEY"',
	example: "--url https://resort.example.com",
	async run(context) {
		const { world } = context;
		const configuration = context.configuration();
		requireAddress(configuration);
		const key =
			world.env[VARIABLES.apiKey] ||
			(world.canAsk ? await askSecret(world, "Key: ") : await readKey(context));
		if (key === "") {
			throw new Failure(
				"login reads the key from stdin, and there was none",
				4,
				`echo "$KEY" | ${world.name} login --url URL`,
			);
		}
		await keepKey(context, configuration, key);
	},
};

/** `logout`: removes the file. The key goes on working, for whoever has it. */
export const logout: Command = {
	summary: "Remove the configuration; the key goes on working",
	words: "",
	count: [0, 0],
	flags: {},
	async run({ sources, show }) {
		const path = configPath(sources);
		show({ ok: true, removed: removeStored(path) ? path : null });
	},
};

/**
 * Asks the resort whose key it is, and keeps it.
 * @returns the configuration from then on
 * @throws Failure with exit code 4 when it is not good
 */
export async function keepKey(
	{ sources, show, world }: Context,
	configuration: Configuration,
	key: string,
): Promise<Configuration> {
	const { path, url } = configuration;
	if (!isKeyShaped(key)) throw new Failure("that is no key", 4);
	if (url !== null) requireWritable(path);
	const told = await call(
		{ ...configuration, key },
		operationAt("GET /api/me"),
		{},
	);
	const agentId = agentIdIn(told);
	writeStored(path, { apiKey: key, agentId, apiUrl: url ?? "" });
	show(told);
	world.tell(`the key is in ${path}`);
	return readConfiguration(sources);
}

async function readKey({ world }: Context): Promise<string> {
	let text = "";
	for await (const part of world.input()) {
		text += part;
		if (text.length > MAX_INPUT_BYTES) break;
	}
	return text.trim();
}
