import { columns, describeFlags } from "../lib/command-help.ts";
import { isHelp } from "../lib/command-line.ts";
import { admin, adminFlags } from "./admin.ts";
import { adminCommands } from "./admin-commands.ts";
import { print } from "./print.ts";
import type { CommandGroup } from "./resort-command.ts";

/** `resort admin` */
export const adminGroup: CommandGroup = {
	summary: "Administer agents, texts, keys and invitations",
	async run(args) {
		if (args.some(isHelp)) print(adminGroup.help());
		else await admin(args);
	},
	help() {
		const commands = Object.entries(adminCommands);
		const rows = commands.map(
			([name, { words, help }]) => [[name, ...words].join(" "), help] as const,
		);
		const own = commands.map(([, { flags = {} }]) => flags);
		return `Usage: resort admin COMMAND [FLAGS]

Shows and changes what is in the database, also while instances serve it: they notice at their next request.
Run it as the user who serves.

Commands:
${columns(rows)}

Flags:
${describeFlags(Object.assign({}, adminFlags, ...own))}

Exit codes: 0 done, 1 refused or not found, 2 wrong command line.
`;
	},
};
