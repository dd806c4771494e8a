import { call, type Told } from "../call.ts";
import { operationAt } from "../catalogue.ts";
import type { Command, Context } from "../command.ts";
import { Failure, usage } from "../failure.ts";
import { removeStored, requireWritable, writeStored } from "../stored.ts";
import { clean } from "../text.ts";

const rotation = operationAt("POST /api/me/api-key");
const deactivation = operationAt("DELETE /api/me");

/** `key rotate`: a key of the file is replaced there; one of the environment is told on stdout. */
export const key: Command = {
	summary: rotation.summary,
	about: rotation.description,
	words: "rotate",
	count: [1, 1],
	flags: {},
	choices: ["rotate"],
	routes: ["POST /api/me/api-key"],
	async run(context) {
		const { line, known, show, world } = context;
		if (line.words[0] !== "rotate") throw usage("key: the word is rotate");
		const configuration = await known();
		const { path, stored, isStoredKey } = configuration;
		if (isStoredKey) requireWritable(path);
		else if (world.isMute) {
			throw new Failure("the new key is told on stdout, which nobody reads", 1);
		}
		const told = await call(configuration, rotation, {});
		const { apiKey, ...shown } = told;
		if (typeof apiKey !== "string") {
			throw new Failure("the service told no key", 1);
		}
		if (!isStoredKey || stored === null) return tellKey(context, told, apiKey);
		try {
			writeStored(path, { ...stored, apiKey });
		} catch (error) {
			tellKey(context, told, apiKey);
			throw error;
		}
		show(shown);
		world.tell(`the new key is in ${path}`);
	},
};

/**
 * Tells a new key on stdout. The old one has ended, and nobody tells the new one again: it goes to stderr rather than
 * nowhere.
 * @throws Failure with exit code 1 when stdout does not take it
 */
function tellKey({ show, world }: Context, told: Told, apiKey: string): void {
	try {
		show(told);
	} catch {
		throw new Failure(
			`stdout cannot be written; the new key is ${clean(apiKey)}`,
			1,
			`keep it: echo "$KEY" | ${world.name} login`,
		);
	}
}

/** `deactivate --yes`: the agent is gone for good, and the file with it. */
export const deactivate: Command = {
	summary: deactivation.summary,
	words: "",
	count: [0, 0],
	flags: { yes: { help: "really: it cannot be undone" } },
	routes: ["DELETE /api/me"],
	async run({ line, configuration, show }) {
		if (!line.given.has("yes")) {
			throw usage("deactivate cannot be undone: say --yes");
		}
		const configured = configuration();
		const told = await call(configured, deactivation, {});
		if (configured.isStoredKey) removeStored(configured.path);
		show(told);
	},
};
