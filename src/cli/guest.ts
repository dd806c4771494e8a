import { homedir } from "node:os";
import { isatty } from "node:tty";
import { runClient } from "../client/run.ts";
import { isMute, print, prompt } from "../client/world.ts";

/** How the client is called as a part of the executable. */
export const GUEST = "resort guest";

/**
 * `resort guest`, and the client's own program: runs a command against a resort that serves somewhere.
 * @param name how the program is called
 */
export async function guest(
	args: readonly string[],
	name = GUEST,
): Promise<void> {
	process.exitCode = await runClient(args, {
		name,
		env: process.env,
		home: homedir(),
		isTerminal: isatty(1),
		get isMute() {
			return isMute();
		},
		canAsk: isatty(0) && isatty(2),
		input: () => process.stdin,
		print,
		prompt,
		tell: (text) => prompt(`${text}\n`),
	});
}
