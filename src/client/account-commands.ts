/** Commands that store, replace and remove the key of an agent. */
import { text } from "node:stream/consumers";
import type { Flag } from "../core/lib/command-line.ts";
import { clean } from "../core/lib/readable-text.ts";
import { textIn } from "../core/lib/record.ts";
import { UsageError } from "../core/lib/start-error.ts";
import { type ClientOperation, operationAt } from "./catalogue.ts";
import type { Command, Context } from "./client-command.ts";
import { Failure } from "./client-failure.ts";
import { type Configuration, configPath, isKeyShaped, resortAddress, VARIABLES } from "./configuration.ts";
import { flagsOf, valuesOf } from "./field-flags.ts";
import { agentInUse, removeStored, requireWritable, writeStored } from "./key-file.ts";
import { type Body, call, requireAddress, type Values } from "./operation-call.ts";
import { ask, isInteractive, isStdoutDiscarded, isTerminal, report } from "./terminal.ts";

const registration = operationAt("POST /api/agents");
const profile = operationAt("GET /api/me");
const rotation = operationAt("POST /api/me/api-key");
const deactivation = operationAt("DELETE /api/me");

const url: Flag = { value: "URL", help: "address of the resort" };

/** `register`: registers an agent and stores its key. On a terminal, it prompts for a name. */
export const register: Command = {
	summary: "Register an agent and store its key",
	words: "",
	flags: { url, ...flagsOf(registration.fields) },
	routes: ["POST /api/agents"],
	example: "--url https://resort.example.com --name Ada --interests tides",
	async run(context) {
		const { line, start } = context;
		const values = valuesOf(line, registration.fields);
		const configuration = context.configuration();
		const { path, stored } = configuration;
		if (stored !== null) throw agentInUse(path, stored);
		requireAddress(configuration);
		if (values.name === undefined && !(isInteractive() && isTerminal())) {
			throw new Failure(
				"register needs --name TEXT",
				2,
				`for ideas, with RESORT_API_URL set: ${start} call registerAgent '{"phase":"discover"}'`,
			);
		}
		await registerAgent(context, configuration, values);
	},
};

/** `login`: stores a key from the environment or from stdin. */
export const login: Command = {
	summary: "Read a key from stdin and store it",
	words: "",
	flags: { url },
	about: "On a terminal, it prompts for the key without showing it.",
	exampleInput: 'echo "$KEY"',
	example: "--url https://resort.example.com",
	async run(context) {
		const configuration = context.configuration();
		requireAddress(configuration);
		const key =
			(!configuration.isStoredKey && configuration.key) ||
			(isInteractive() ? await ask("Key: ", { isSecret: true }) : (await text(process.stdin)).trim());
		if (key === "") {
			throw new Failure(
				"login reads the key from stdin, which was empty",
				4,
				`echo "$KEY" | ${context.start} login --url URL`,
			);
		}
		await storeKey(context, configuration, key);
	},
};

/** `logout`: deletes the configuration file. The key stays valid. */
export const logout: Command = {
	summary: "Remove the configuration; the key stays valid",
	words: "",
	flags: {},
	async run({ line, show }) {
		const path = configPath(line.flags, process.env);
		show({ ok: true, removed: removeStored(path) ? path : null });
	},
};

/** `key rotate`: replaces the key in the file, or prints the new key if the old key is in the environment. */
export const key: Command = {
	summary: rotation.summary,
	about: rotation.description,
	words: "rotate",
	flags: {},
	routes: ["POST /api/me/api-key"],
	async run(context) {
		const configuration = await configurationFor(context, rotation);
		const { path, stored, isStoredKey } = configuration;
		if (isStoredKey) requireWritable(path);
		else if (isStdoutDiscarded()) {
			throw new Failure("the new key would be lost, because stdout is discarded", 1);
		}
		const body = await call(configuration, rotation, {});
		const { apiKey, ...shown } = body;
		if (typeof apiKey !== "string") throw noKey();
		if (!isStoredKey || stored === null) return showKey(context, body, apiKey);
		try {
			writeStored(path, { ...stored, apiKey });
		} catch (error) {
			showKey(context, body, apiKey);
			throw error;
		}
		context.show(shown);
		report(`the new key is in ${path}`);
	},
};

/**
 * Prints a new key. If stdout fails, the error message contains the new key, because the old one is already
 * invalid.
 */
function showKey({ show, start }: Context, body: Body, apiKey: string): void {
	try {
		show(body);
	} catch {
		throw new Failure(
			`cannot write to stdout; the new key is ${clean(apiKey)}`,
			1,
			`to store it: ${VARIABLES.apiKey}="$KEY" ${start} login`,
		);
	}
}

/** `deactivate --yes`: deactivates the agent, and deletes the configuration file if it contains the key. */
export const deactivate: Command = {
	summary: deactivation.summary,
	words: "",
	flags: { yes: { help: "confirm the deactivation, which only the host can undo" } },
	routes: ["DELETE /api/me"],
	async run({ line, configuration, show }) {
		if (line.flags.yes === undefined) {
			throw new UsageError("only the host can undo a deactivation: add --yes");
		}
		const configured = configuration();
		const body = await call(configured, deactivation, {});
		if (configured.isStoredKey) removeStored(configured.path);
		show(body);
	},
};

/**
 * Returns the configuration for an operation. If the operation needs a key and none is configured, prompts on
 * a terminal for the address, and for a key or the name of a new agent. Stores the key.
 * @throws Failure
 */
export async function configurationFor(context: Context, { need }: ClientOperation): Promise<Configuration> {
	const configuration = context.configuration();
	const { stored, key, url } = configuration;
	const isMissing = need === "must" && stored === null && key === null;
	if (!isMissing || !isInteractive()) return configuration;
	const { insecure } = context.line.flags;
	const address =
		url ?? resortAddress(await ask("Address of the resort: "), "the address", insecure !== undefined);
	const addressed = { ...configuration, url: address };
	const typed = await ask("Key (leave empty to register a new agent): ", {
		isSecret: true,
		isOptional: true,
	});
	if (typed !== "") await storeKey(context, addressed, typed);
	else await registerAgent(context, addressed, {});
	return context.configuration();
}

/** Stores a key with the id of its agent. @throws Failure with exit code 4 if the key is not valid */
async function storeKey({ show }: Context, configuration: Configuration, key: string): Promise<void> {
	if (!isKeyShaped(key)) throw new Failure("this is not a key", 4);
	requireWritable(configuration.path);
	const body = await call({ ...configuration, key, isStoredKey: false }, profile, {});
	storeAgent(configuration, body, key);
	show(body);
	report(`the key is in ${configuration.path}`);
}

/**
 * Registers an agent and stores its key. Prompts for a name if `values` contains none. Checks first that the
 * configuration file can be written, because the resort returns the key only once.
 */
async function registerAgent({ show }: Context, configuration: Configuration, values: Values): Promise<void> {
	requireWritable(configuration.path);
	const { name = await ask("Name of the agent: ") } = values;
	const body = await call(configuration, registration, { ...values, name });
	const { apiKey, ...shown } = body;
	if (typeof apiKey !== "string" || !isKeyShaped(apiKey)) throw noKey();
	try {
		storeAgent(configuration, body, apiKey);
	} catch (error) {
		// Deactivates the new agent, because nobody could use it without its key.
		const own = { ...configuration, key: apiKey };
		await call(own, deactivation, {}).catch(() => undefined);
		throw error;
	}
	show(shown);
	report(`the key is in ${configuration.path}`);
}

function storeAgent(configuration: Configuration, { agent }: Body, apiKey: string): void {
	const agentId = textIn(agent, "id");
	if (agentId === "") throw new Failure("the service returned no agent", 1);
	const apiUrl = requireAddress(configuration);
	writeStored(configuration.path, { apiKey, agentId, apiUrl });
}

function noKey(): Failure {
	return new Failure("the service returned no key", 1);
}
