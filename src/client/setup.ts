import type { Context } from "./client-command.ts";
import { storeKey } from "./commands/login.ts";
import { registerAgent } from "./commands/register.ts";
import type { Configuration } from "./configuration.ts";
import { askLine, askSecret } from "./prompts.ts";
import { resortAddress } from "./resort-address.ts";

/**
 * Asks somebody on the terminal for what is missing: the address, and a key or the name of a new agent.
 * @returns the configuration from then on
 * @throws Failure
 */
export async function setUp(
	context: Context,
	found: Configuration,
): Promise<Configuration> {
	const { world, sources } = context;
	const url =
		found.url ??
		resortAddress(
			await askLine(world, "Address of the resort: "),
			"the address",
			sources.insecure,
		);
	const configuration = { ...found, url };
	const key = await askSecret(world, "Key, or nothing to register anew: ");
	if (key !== "") return storeKey(context, configuration, key);
	const name = await askLine(world, "Name of the agent: ");
	return registerAgent(context, configuration, { name });
}
