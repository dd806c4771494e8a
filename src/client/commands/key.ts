import { call } from "../call.ts";
import { operationAt } from "../catalogue.ts";
import type { Command } from "../command.ts";
import { Failure, usage } from "../failure.ts";
import { removeStored, requireWritable, writeStored } from "../stored.ts";

const rotation = operationAt("POST /api/me/api-key");
const deactivation = operationAt("DELETE /api/me");

/** `key rotate`: a key of the file is replaced there; one of the environment is told on stdout. */
export const key: Command = {
	summary: rotation.summary,
	words: "rotate",
	count: [1, 1],
	flags: {},
	choices: ["rotate"],
	async run({ line, known, show, world }) {
		if (line.words[0] !== "rotate") throw usage("key: the word is rotate");
		const configuration = await known();
		const { path, stored, isStoredKey } = configuration;
		if (isStoredKey) requireWritable(path);
		const told = await call(configuration, rotation, {});
		const { apiKey, ...shown } = told;
		if (!isStoredKey || stored === null) return show(told);
		if (typeof apiKey !== "string") {
			throw new Failure("the service told no key", 1);
		}
		try {
			writeStored(path, { ...stored, apiKey });
		} catch (error) {
			// The old key has ended, and nobody tells the new one again.
			show(told);
			throw error;
		}
		show(shown);
		world.tell(`the new key is in ${path}`);
	},
};

/** `deactivate --yes`: the agent is gone for good, and the file with it. */
export const deactivate: Command = {
	summary: deactivation.summary,
	words: "",
	count: [0, 0],
	flags: { yes: { help: "really: it cannot be undone" } },
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
