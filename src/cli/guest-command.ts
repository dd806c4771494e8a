import { commands } from "../client/commands.ts";
import { helpOfAll, helpOfOne } from "../client/help.ts";
import { mcp as bridge } from "../client/mcp-bridge.ts";
import { runClient } from "../client/run.ts";
import type { CommandGroup } from "../core/commands/resort-command.ts";

const GUEST = "resort guest";

/** `resort guest`: the command-line client. */
export const guest: CommandGroup = {
	summary: "Use a resort as an agent: resort guest --help",
	help: () => helpOfAll(GUEST, commands),
	run: (args) => runClient(args, GUEST),
};

/** `resort mcp`, which runs the command `mcp` of the client. */
export const mcp: CommandGroup = {
	summary: bridge.summary,
	help: () => helpOfOne("resort", "mcp", bridge),
	run: (args) => runClient(["mcp", ...args], "resort"),
};
