import { isRecord } from "../../lib/record.ts";
import { call, requireAddress, type Told, type Values } from "../call.ts";
import { operationAt } from "../catalogue.ts";
import type { Command, Context } from "../command.ts";
import {
	type Configuration,
	isKeyShaped,
	readConfiguration,
} from "../configuration.ts";
import { Failure } from "../failure.ts";
import { type Flag, flagsOf, valuesOf } from "../flags.ts";
import { askLine } from "../questions.ts";
import { requireWritable, taken, writeStored } from "../stored.ts";

const registration = operationAt("POST /api/agents");
const deactivation = operationAt("DELETE /api/me");

/** Where the first address comes from, beside the environment. */
export const urlFlag: Flag = {
	value: "URL",
	help: "the address of the resort",
};

const flags = { url: urlFlag, ...flagsOf(registration.fields) };

/** `register`: registers an agent and keeps its key. Who is asked for a name gets ideas for one before. */
export const register: Command = {
	summary: "Register an agent, and keep its key",
	words: "",
	count: [0, 0],
	flags,
	routes: ["POST /api/agents"],
	example: "--url https://resort.example.com --name Ada --interests tides",
	async run(context) {
		const { line, world, show } = context;
		const values = valuesOf(line, flags);
		const configuration = context.configuration();
		requireNoAgent(configuration);
		if (values.name === undefined) {
			requireAddress(configuration);
			if (!world.canAsk || !world.isTerminal) {
				throw new Failure(
					"register needs --name TEXT",
					2,
					`ideas for one: ${world.name} call registerAgent '{"phase":"discover"}'`,
				);
			}
			const ideas = await call(configuration, registration, {
				phase: "discover",
			});
			// Its hint is for those who call by HTTP; here the name is asked for.
			const { hint: _, ...shown } = ideas;
			show(shown);
			values.name = await askLine(world, "Name: ");
			if (values.name === "") return;
		}
		await registerAgent(context, configuration, values);
	},
};

/**
 * Registers an agent and keeps its key, which nobody tells again: it is first made sure that it can be kept.
 * @returns the configuration from then on
 * @throws Failure
 */
export async function registerAgent(
	{ show, sources, world }: Context,
	configuration: Configuration,
	values: Values,
): Promise<Configuration> {
	const { path, url } = configuration;
	requireNoAgent(configuration);
	if (url !== null) requireWritable(path);
	const told = await call(configuration, registration, values);
	const { apiKey, ...shown } = told;
	const agentId = agentIdIn(told);
	if (typeof apiKey !== "string" || !isKeyShaped(apiKey) || url === null) {
		throw new Failure("the service told no key", 1);
	}
	try {
		writeStored(path, { apiKey, agentId, apiUrl: url });
	} catch (error) {
		// Nobody has the key: an agent that nobody can be is not left behind.
		const own = { ...configuration, key: apiKey };
		await call(own, deactivation, {}).catch(() => undefined);
		throw error;
	}
	show(shown);
	world.tell(`the key is in ${path}`);
	return readConfiguration(sources);
}

function requireNoAgent({
	path,
	stored,
}: Pick<Configuration, "path" | "stored">): void {
	if (stored !== null) throw taken(path, stored);
}

/**
 * The id of the agent in an answer.
 * @throws Failure when there is none
 */
export function agentIdIn({ agent }: Told): string {
	const id = isRecord(agent) ? agent.id : undefined;
	if (typeof id === "string" && id !== "") return id;
	throw new Failure("the service told no agent", 1);
}
