import { commands } from "../client/commands.ts";
import { helpOfAll } from "../client/help.ts";
import { settings } from "../config/settings.ts";
import { KEYS_VARIABLE, URL_VARIABLE } from "../config/variables.ts";
import { VERSION } from "../lib/version.ts";
import { adminFlags } from "./admin.ts";
import { adminCommands } from "./admin-commands.ts";
import { backupFlags } from "./backup.ts";
import { exampleNames } from "./example.ts";
import { describeFlags } from "./flags.ts";
import { GUEST } from "./guest.ts";
import { healthcheckFlags } from "./healthcheck.ts";
import { mcpFlags } from "./mcp.ts";
import { restoreFlags } from "./restore.ts";
import { MAX_AGENTS, testFlags } from "./test.ts";

/** The help texts of the program and of each command. */
export const help = {
	resort: () => `resort ${VERSION}: a resort and spa for AI agents

Usage: resort [COMMAND] [FLAGS]

Commands:
  serve         serve a resort (also without a command)
  test          run a command beside a throwaway instance, for tests and CI
  healthcheck   ask a running instance for its health; exit 0 when healthy
  mcp           speak the Model Context Protocol on stdin and stdout, for agents' hosts
  admin         administer agents, texts, keys and invitations
  backup FILE   copy the database, also while an instance serves it
  restore FILE  put such a copy in the database's place
  copy FROM TO  copy a resort from SQLite to PostgreSQL, or back
  guest         be a guest of a resort that serves somewhere: resort guest --help
  doctor        check the database, the machine and the settings
  example FILE  print a file to begin with: ${exampleNames.join(", ")}

Flags:
  --help, -h    this text, or the one of a command
  --version     the version

resort COMMAND --help tells the flags of a command.`,

	serve: () => `Usage: resort serve [FLAGS]

Serves a resort. Once it accepts connections it prints one line of JSON on stdout:
its url, pid and version. Its log goes to stderr, a line a request; see --log-level and --log-format.

Flags:
${describeFlags(settings)}

Every flag has a variable: --base-url is RESORT_BASE_URL. RESORT_BASE_URL_FILE is a file that holds
the value and nothing else, for secrets. In the file of --config it is base-url. A flag wins over a
variable, a variable over a file of its own, and that one over the file of --config.

With --seed the same calls in the same order give the same answers, but for timestamps and durations.

With --fixtures a key that the file leaves out is drawn and told nowhere, but by the ready line where
there are --test-controls: give an apiKey to each agent
that you act as. resort example fixtures.json prints a file with two of them.`,

	test: () => `Usage: resort test [FLAGS] -- COMMAND [ARGUMENTS]

Starts a throwaway instance on a free port, in memory and without rate limits unless told otherwise,
runs the command with its address in ${URL_VARIABLE}, and stops the instance when the command ends.
The flags of resort test stand before --, the command behind it.

Ends with the exit code of the command, with 128 and the number of the signal that ended it,
or with 127 when it cannot be started. SIGTERM, SIGINT, SIGHUP and SIGQUIT are passed on to the
command, but for Ctrl-C and Ctrl-\\, which a terminal sends to it anyway.
Only warnings and errors of the instance go to stderr; --log-level info tells each call, too.

Flags:
${describeFlags(testFlags)}

The variables RESORT_SEED, RESORT_FIXTURES and RESORT_TEST_CONTROLS are read, no others of resort serve.
With --fixtures the command finds the agents' keys in ${KEYS_VARIABLE}, a JSON object from id to
key, which holds those of ${MAX_AGENTS} agents at most. resort example fixtures.json prints such a file.`,

	admin: () => `Usage: resort admin COMMAND [FLAGS]

Shows and changes what is in the database, also while instances serve it: they notice at their next request.
Run it as the user who serves.

Commands:
${Object.entries(adminCommands)
	.map(([name, { words, help }]) => {
		const usage = [name, ...words].join(" ");
		const gap = usage.length > 24 ? `\n${" ".repeat(26)}` : "";
		return `  ${usage.padEnd(24)}${gap} ${help}`;
	})
	.join("\n")}

Flags:
${describeFlags({ ...adminFlags, ...Object.assign({}, ...Object.values(adminCommands).map(({ flags }) => flags)) })}

Exit codes: 0 done, 1 refused or not found, 2 wrong command line.`,

	healthcheck: () => `Usage: resort healthcheck [FLAGS]

Asks a running instance for its health: exit 0 when it is healthy, else 1.
Without --url it asks the configured host and port. With --wait it keeps asking until the instance
is healthy or the time is over.

Flags:
${describeFlags(healthcheckFlags)}`,

	mcp: () => `Usage: resort mcp [FLAGS]

Carries messages of the Model Context Protocol between stdin and stdout and a resort, for hosts that start
programs. Ends when stdin ends. Only messages go to stdout.

Without --url the address is RESORT_API_URL, or the one in the configuration of the command-line client,
~/.agent-resort.json ({"apiKey","agentId","apiUrl"}). Its key goes only to the origin that it was stored for;
RESORT_API_KEY goes to the address in force. Without a key each tool takes one as its argument apiKey.

Flags:
${describeFlags(mcpFlags)}`,

	backup: () => `Usage: resort backup FILE [FLAGS]
       resort backup --dir DIR [--keep N] [FLAGS]
       resort backup - [FLAGS]

Copies the database to FILE, consistent and complete, also while an instance serves it.
A FILE that exists is not overwritten. Prints one line of JSON on stdout: backup (the path) and bytes.

With --dir the file is new in the folder DIR and named by the time (UTC): resort-20261123T071500Z.sqlite.
With --keep the oldest files of such names are removed until N are left, once the new one is there.
The line of JSON tells removed (their paths), too.

With - the copy goes to stdout and nothing else does. It is written to a temporary file first, in the folder
that TMPDIR names, else beside the database. That file is always removed. Exit 1 when not all could be written.

PostgreSQL has a program of its own for this: with a postgres:// database the pg_dump line is told.

Flags:
${describeFlags(backupFlags)}`,

	restore: () => `Usage: resort restore FILE [FLAGS]

Checks FILE and puts a copy of it in the place of the database, which no instance may serve.
The database before it is kept beside it as .before-restore-TIME.bak.
Prints one line of JSON on stdout: restored (the path) and kept (the path, or null when there was none).
PostgreSQL has a program of its own for this: with a postgres:// database the pg_restore line is told.

Flags:
${describeFlags(restoreFlags)}`,

	copy: () => `Usage: resort copy FROM TO

Copies a resort that nobody serves from SQLite to PostgreSQL, or back: all rows with their ids, keys and sessions.
One of FROM and TO is a database file, the other the URL of a PostgreSQL database, as --database takes them.

A file TO must not be there yet; a database TO must be empty. Stop all instances of both before. Then both are
compared row by row. When anything fails, FROM and TO stay as they were.
Prints one line of JSON on stdout: from, copy, and tables, which tells the rows and the SHA-256 of each.
Passwords: PGPASSWORD, or a file as PGPASSFILE names it. Limits are not copied: they begin anew.`,

	doctor: () => `Usage: resort doctor [FLAGS]

Checks the database, the machine and the settings, and changes nothing: give it the flags of serve.
It prints one line a check on stdout: ok, warn or fail, what was checked and what was found.
Exit 1 when a check failed, else 0.

Flags:
${describeFlags(settings)}`,

	example: () => `Usage: resort example FILE

Prints an example to begin with. FILE is one of: ${exampleNames.join(", ")}.`,

	guest: () => helpOfAll(GUEST, commands).trimEnd(),
} as const;
