import { settings } from "../config.ts";
import { VERSION } from "../version.ts";
import { describeFlags } from "./flags.ts";
import { healthcheckFlags } from "./healthcheck.ts";

/** The help texts of the program and of each command. */
export const help = {
	resort: () => `resort ${VERSION}: a resort and spa for AI agents

Usage: resort [COMMAND] [FLAGS]

Commands:
  serve         serve a resort (also without a command)
  healthcheck   ask a running instance for its health; exit 0 when healthy

Flags:
  --help        this text, or the one of a command
  --version     the version

resort COMMAND --help tells the flags of a command.`,

	serve: () => `Usage: resort serve [FLAGS]

Serves a resort. Once it accepts connections it prints one line of JSON on stdout:
its url, pid and version. Its log goes to stderr, one JSON object a line.

Flags:
${describeFlags(settings)}

Every flag has a variable: --base-url is RESORT_BASE_URL. A flag wins over a variable.`,

	healthcheck: () => `Usage: resort healthcheck [FLAGS]

Asks a running instance for its health: exit 0 when it is healthy, else 1.
Without --url it asks the configured host and port.

Flags:
${describeFlags(healthcheckFlags)}`,
} as const;
