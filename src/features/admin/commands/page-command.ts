import type { Program } from "../../../core/commands/feature.ts";
import { print, requireStdout } from "../../../core/commands/print.ts";
import type { CoreSettings } from "../../../core/config/settings.ts";
import { helpOf } from "../../../core/lib/command-help.ts";
import { parseCommandLine } from "../../../core/lib/command-line.ts";
import { toJson } from "../../../core/lib/readable-text.ts";
import { pick } from "../../../core/lib/record.ts";
import { StartError } from "../../../core/lib/start-error.ts";
import { localAddress } from "../../../core/server/ports.ts";
import { type AdminContext, record } from "../history.ts";
import { createToken, endAllSessions } from "../page/tokens.ts";
import type { settings } from "../settings.ts";

/** The summary of `resort admin page`. */
export const PAGE_SUMMARY =
	"print a link that signs a browser in at the host's page; --end ends all sessions";

const ADVICE =
	"Use the same settings as the instance, such as resort admin page --config /etc/resort.toml, " +
	"or resort admin page --admin-page on --port 8080 --database resort.sqlite.";

const ownFlags = {
	end: { help: "end all sessions and unused codes of the page" },
	json: { help: "print one JSON document on stdout; errors go to stderr" },
};

const shape = { summary: PAGE_SUMMARY, words: "" };

/** The settings that the address of the instance depends on. */
const addressSettings = ["admin-page", "base-url", "host", "port"] as const;

/**
 * Returns the help text of `resort admin page`. The text shows only the settings that the link depends on,
 * but the command accepts all settings.
 */
export function pageHelp({ configuration }: Program<CoreSettings & typeof settings>): string {
	const flags = pick(configuration.settings, [...addressSettings, "database", "config"]);
	return helpOf("resort admin page", { ...shape, flags: { ...flags, ...ownFlags }, about: ADVICE });
}

/**
 * `resort admin page`: prints a link with a one-time code, or ends all sessions and unused codes.
 * @param host the user to record in the history, and the queries on the data of agents
 * @param args the arguments without the name of the command
 * @throws StartError with exit code 1 without `--admin-page on`, 2 for an in-memory database or an unknown
 * port
 */
export async function runPageCommand(
	program: Program<CoreSettings & typeof settings>,
	host: Pick<AdminContext, "systemUser" | "personalData">,
	args: readonly string[],
): Promise<void> {
	const { configuration } = program;
	const { flags } = parseCommandLine(args, "admin page", {
		...shape,
		flags: { ...configuration.settings, ...ownFlags },
	});
	const { end, json, ...given } = flags;
	const isEnd = end !== undefined;
	const address = isEnd ? "" : addressOf(program, given);
	requireStdout();
	await using stack = new AsyncDisposableStack();
	const { context, log } = await program.openServices(given, stack);
	const command = isEnd ? "page --end" : "page";
	const { code } = await record({ ...context, ...host, log: log.logger, command }, function* () {
		if (!isEnd) return { code: yield* createToken(context, { kind: "code" }) };
		yield* endAllSessions(context);
		return { code: null };
	});
	if (code === null) {
		return print(json === undefined ? "All sessions of the host's page have ended.\n" : '{"ok":true}\n');
	}
	const link = `${address}/admin/enter?code=${code}`;
	print(json === undefined ? `${link}\n` : `${toJson({ ok: true, link })}\n`);
	process.stderr.write(
		"The link works once, within 10 minutes. If nothing answers, give this command the instance's --port or --base-url.\n",
	);
}

/** Returns the address of the instance, without a final slash. @throws StartError */
function addressOf(
	{ configuration }: Program<CoreSettings & typeof settings>,
	given: Readonly<Record<string, string>>,
): string {
	const config = configuration.readSome(addressSettings, given, process.env);
	if (!config["admin-page"]) {
		throw new StartError(
			"the settings do not have --admin-page on",
			1,
			`Start the instance with --admin-page on. ${ADVICE}`,
		);
	}
	if (config["base-url"] !== null) return config["base-url"];
	if (config.port !== 0) return localAddress(config.host, config.port);
	throw new StartError("--port 0: set --port or --base-url as the instance has it", 2);
}
