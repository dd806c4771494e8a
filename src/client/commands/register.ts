import type { Flag } from "../../lib/command-line.ts";
import { isRecord } from "../../lib/record.ts";
import { operationAt } from "../catalogue.ts";
import type { Command, Context } from "../client-command.ts";
import { Failure } from "../client-failure.ts";
import {
	type Configuration,
	isKeyShaped,
	readConfiguration,
} from "../configuration.ts";
import { flagsOf, valuesOf } from "../field-flags.ts";
import { agentInUse, requireWritable, writeStored } from "../key-file.ts";
import {
	type Body,
	call,
	requireAddress,
	type Values,
} from "../operation-call.ts";
import { ask } from "../prompts.ts";

const registration = operationAt("POST /api/agents");
const deactivation = operationAt("DELETE /api/me");

/** The flag of the resort's address. */
export const urlFlag: Flag = {
	value: "URL",
	help: "the address of the resort",
};

/** `register`: registers an agent and stores its key. On a terminal it suggests names and prompts for one. */
export const register: Command = {
	summary: "Register an agent, and store its key",
	words: "",
	flags: { url: urlFlag, ...flagsOf(registration.fields) },
	routes: ["POST /api/agents"],
	example: "--url https://resort.example.com --name Ada --interests tides",
	async run(context) {
		const { line, system, show } = context;
		const values = valuesOf(line, registration.fields);
		const configuration = context.configuration();
		const { path, stored } = configuration;
		if (stored !== null) throw agentInUse(path, stored);
		if (values.name === undefined) {
			requireAddress(configuration);
			if (!system.isInteractive || !system.isTerminal) {
				throw new Failure(
					"register needs --name TEXT",
					2,
					`ideas for one: ${system.name} call registerAgent '{"phase":"discover"}'`,
				);
			}
			// The hint is about HTTP.
			const { hint: _, ...ideas } = await call(configuration, registration, {
				phase: "discover",
			});
			show(ideas);
			values.name = await ask(system, "Name: ");
			if (values.name === "") return;
		}
		await registerAgent(context, configuration, values);
	},
};

/**
 * Registers an agent, stores its key and returns the new configuration. The key is shown only once, so the file is
 * checked before. @throws Failure
 */
export async function registerAgent(
	{ show, sources, system }: Context,
	configuration: Configuration,
	values: Values,
): Promise<Configuration> {
	const { path } = configuration;
	const apiUrl = requireAddress(configuration);
	requireWritable(path);
	const body = await call(configuration, registration, values);
	const { apiKey, ...shown } = body;
	const agentId = agentIdIn(body);
	if (typeof apiKey !== "string" || !isKeyShaped(apiKey)) {
		throw new Failure("the service returned no key", 1);
	}
	try {
		writeStored(path, { apiKey, agentId, apiUrl });
	} catch (error) {
		// Without its key nobody can use the agent.
		const own = { ...configuration, key: apiKey };
		await call(own, deactivation, {}).catch(() => undefined);
		throw error;
	}
	show(shown);
	system.report(`the key is in ${path}`);
	return readConfiguration(sources);
}

/** Returns the id of the agent in an answer. @throws Failure if there is none */
export function agentIdIn({ agent }: Body): string {
	const id = isRecord(agent) ? agent.id : undefined;
	if (typeof id === "string" && id !== "") return id;
	throw new Failure("the service returned no agent", 1);
}
