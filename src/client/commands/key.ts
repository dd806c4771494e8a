import { UsageError } from "../../lib/start-error.ts";
import { operationAt } from "../catalogue.ts";
import type { Command, Context } from "../client-command.ts";
import { Failure } from "../client-failure.ts";
import { removeStored, requireWritable, writeStored } from "../key-file.ts";
import { type Body, call } from "../operation-call.ts";
import { isStdoutDiscarded } from "../system.ts";
import { clean } from "../terminal-text.ts";

const rotation = operationAt("POST /api/me/api-key");
const deactivation = operationAt("DELETE /api/me");

/** `key rotate`: replaces the key in the file, or prints the new key if the old one is from the environment. */
export const key: Command = {
	summary: rotation.summary,
	about: rotation.description,
	words: "rotate",
	flags: {},
	routes: ["POST /api/me/api-key"],
	async run(context) {
		const { configurationFor, show, system } = context;
		const configuration = await configurationFor(rotation);
		const { path, stored, isStoredKey } = configuration;
		if (isStoredKey) requireWritable(path);
		else if (isStdoutDiscarded()) {
			throw new Failure("the new key goes to stdout, which is discarded", 1);
		}
		const body = await call(configuration, rotation, {});
		const { apiKey, ...shown } = body;
		if (typeof apiKey !== "string") {
			throw new Failure("the service returned no key", 1);
		}
		if (!isStoredKey || stored === null) return showKey(context, body, apiKey);
		try {
			writeStored(path, { ...stored, apiKey });
		} catch (error) {
			showKey(context, body, apiKey);
			throw error;
		}
		show(shown);
		system.report(`the new key is in ${path}`);
	},
};

/** The key is shown only once and the old one has ended, so a failure of stdout contains it. */
function showKey({ show, system }: Context, body: Body, apiKey: string): void {
	try {
		show(body);
	} catch {
		throw new Failure(
			`stdout cannot be written; the new key is ${clean(apiKey)}`,
			1,
			`keep it: echo "$KEY" | ${system.name} login`,
		);
	}
}

/** `deactivate --yes`: deactivates the agent and removes the file. */
export const deactivate: Command = {
	summary: deactivation.summary,
	words: "",
	flags: { yes: { help: "confirm: it cannot be undone" } },
	routes: ["DELETE /api/me"],
	async run({ line, configuration, show }) {
		if (line.flags.yes === undefined) {
			throw new UsageError("deactivate cannot be undone: add --yes");
		}
		const configured = configuration();
		const body = await call(configured, deactivation, {});
		if (configured.isStoredKey) removeStored(configured.path);
		show(body);
	},
};
