import type { Program } from "../../../core/commands/feature.ts";
import { print, requireStdout } from "../../../core/commands/print.ts";
import type { CoreSettings } from "../../../core/config/settings.ts";
import { parseCommandLine } from "../../../core/lib/command-line.ts";
import { toJson } from "../../../core/lib/readable-text.ts";
import { StartError } from "../../../core/lib/start-error.ts";
import { localAddress } from "../../../core/server/ports.ts";
import { recorded } from "../history.ts";
import { createToken, endAllSessions } from "../page/tokens.ts";
import type { settings } from "../settings.ts";

/** The summary of `resort admin page`. */
export const PAGE_SUMMARY =
	"print a link that signs a browser in at the host's page, with the settings of the instance; --end signs all out";

/**
 * `resort admin page`: prints a link with a one-time code.
 * @param args the arguments without the name of the command
 * @throws StartError with exit code 1 if the settings do not have `--admin-page on`, 2 for a database in
 * memory
 */
export async function runPageCommand(
	program: Program<CoreSettings & typeof settings>,
	systemUser: string,
	args: readonly string[],
): Promise<void> {
	const { configuration } = program;
	const { flags } = parseCommandLine(args, "admin page", {
		summary: PAGE_SUMMARY,
		words: "",
		flags: {
			...configuration.settings,
			end: { help: "end all sessions and unused links of the page" },
			json: { help: "print one JSON document on stdout; errors go to stderr" },
		},
	});
	requireStdout();
	const { end, json, ...given } = flags;
	const config = configuration.readSome(["admin-page", "base-url", "host", "port"], given, process.env);
	await using stack = new AsyncDisposableStack();
	const { context, log } = await program.openServices(given, stack);
	const admin = {
		...context,
		log: log.logger,
		systemUser,
		command: end === undefined ? "page" : "page --end",
	};
	if (end !== undefined) {
		await context.store.write(() =>
			recorded(admin, function* () {
				yield* endAllSessions(context);
				return {};
			}),
		);
		return print(json === undefined ? "All sessions of the page have ended.\n" : '{"ok":true}\n');
	}
	if (!config["admin-page"]) {
		throw new StartError(
			"the settings do not have --admin-page on",
			1,
			"Start the instance with --admin-page on (RESORT_ADMIN_PAGE=on), and pass its settings to this command too, such as --config /etc/resort.toml.",
		);
	}
	if (config["base-url"] === null && config.port === 0) {
		throw new StartError(
			"the port of the instance is unknown: set --port or --base-url as the instance has it",
		);
	}
	let code = "";
	await context.store.write(() =>
		recorded(admin, function* () {
			code = yield* createToken(context, { kind: "code" });
			return {};
		}),
	);
	const link = `${config["base-url"] ?? localAddress(config.host, config.port)}/admin/enter?code=${code}`;
	print(json === undefined ? `${link}\n` : `${toJson({ ok: true, link })}\n`);
	process.stderr.write("The link works once, within 10 minutes.\n");
}
