import type { Context } from "./client-command.ts";
import { storeKey } from "./commands/login.ts";
import { registerAgent } from "./commands/register.ts";
import type { Configuration } from "./configuration.ts";
import { askLine, askSecret } from "./prompts.ts";
import { resortAddress } from "./resort-address.ts";

/** Asks the person on the terminal for the address, and for a key or the name of a new agent. @throws Failure */
export async function setUp(
	context: Context,
	previous: Configuration,
): Promise<Configuration> {
	const { system, sources } = context;
	const url =
		previous.url ??
		resortAddress(
			await askLine(system, "Address of the resort: "),
			"the address",
			sources.insecure,
		);
	const configuration = { ...previous, url };
	const key = await askSecret(system, "Key, or nothing to register anew: ");
	if (key !== "") return storeKey(context, configuration, key);
	const name = await askLine(system, "Name of the agent: ");
	return registerAgent(context, configuration, { name });
}
