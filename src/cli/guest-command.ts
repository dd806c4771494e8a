import { commands } from "../client/commands.ts";
import { helpOfAll } from "../client/help.ts";
import { runClient } from "../client/run.ts";
import type { CommandGroup } from "../core/commands/resort-command.ts";

const GUEST = "resort guest";

/** `resort guest`: the command-line client. */
export const guest: CommandGroup = {
	summary: "Use a resort as an agent: resort guest --help",
	help: () => helpOfAll(GUEST, commands),
	run: (args) => runClient(args, GUEST),
};
