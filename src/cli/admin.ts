import { existsSync } from "node:fs";
import {
	type AdminContext,
	runAdminOperation,
} from "../admin/admin-operation.ts";
import { adminOperations } from "../admin/operations.ts";
import { clean, describe, toJson } from "../client/terminal-text.ts";
import { readSettings } from "../config/config.ts";
import type { Flags } from "../config/setting-sources.ts";
import { settings } from "../config/settings.ts";
import { columns, describeFlags } from "../lib/command-help.ts";
import {
	commandIndex,
	commandNamed,
	isHelp,
	type KnownFlags,
	parseCommandLine,
} from "../lib/command-line.ts";
import { systemRandom } from "../lib/random.ts";
import { ResortError } from "../lib/resort-error.ts";
import { StartError, UsageError } from "../lib/start-error.ts";
import { openLog } from "../server/log/log.ts";
import { engineOf } from "../store/engines.ts";
import { type AdminCall, adminCommands } from "./admin-commands.ts";
import { type Fields, line, wrapped } from "./admin-format.ts";
import { print, requireStdout } from "./print.ts";
import type { CommandGroup } from "./resort-command.ts";

/** The flags of every command. */
const sharedFlags: KnownFlags = {
	database: { ...settings.database, help: "database of the instance" },
	config: settings.config,
	json: { help: "one JSON document, on stdout; a failure on stderr" },
};

/** `resort admin` */
export const admin: CommandGroup = {
	summary: "Administer agents, texts, keys and invitations",
	help,
	async run(args) {
		if (args.some(isHelp)) return print(help());
		const isJson = args.includes("--json");
		try {
			await runCommand(args);
		} catch (error) {
			if (error instanceof ResortError) {
				const { message, details } = error;
				process.exitCode = 1;
				printFailure({ error: message, hint: details.hint }, isJson);
			} else if (error instanceof StartError && isJson) {
				process.exitCode = error.exitCode;
				printFailure({ error: error.message }, isJson);
			} else throw error;
		}
	},
};

function help(): string {
	const commands = Object.entries(adminCommands);
	const rows = commands.map(
		([name, { words, summary }]) => [`${name} ${words}`, summary] as const,
	);
	const own = commands.map(([, { flags }]) => flags);
	return `Usage: resort admin COMMAND [FLAGS]

Shows and changes what is in the database, also while instances serve it: they notice at their next request.
Run it as the user who serves.

Commands:
${columns(rows)}

Flags:
${describeFlags(Object.assign({}, sharedFlags, ...own))}

Exit codes: 0 done, 1 refused or not found, 2 wrong command line.
`;
}

/** @throws StartError with exit code 2 for a wrong command line, 1 if the database cannot be opened */
async function runCommand(args: readonly string[]): Promise<void> {
	const at = commandIndex(args, sharedFlags);
	const name = args[at];
	if (name === undefined) {
		throw new UsageError("admin needs a command before its flags");
	}
	const command = commandNamed(adminCommands, name);
	const parsed = parseCommandLine(args.toSpliced(at, 1), `admin ${name}`, {
		...command,
		flags: { ...command.flags, ...sharedFlags },
	});
	const { flags } = parsed;
	const call = command.call(parsed);
	// A key or a code is shown only once, and an export may be the last copy.
	requireStdout();
	await using administration = await openAdministration(flags);
	const { run } = administration;
	const isJson = flags.json !== undefined;
	let former: Fields = {};
	if (command.isFinal) {
		const shown = await run({ ...call, operation: "showAgent" });
		const agent: Fields = Object(shown.agent);
		await confirmId(agent, !isJson || process.stdin.isTTY);
		former = { formerName: agent.name };
	}
	const result = await run(call);
	if (isJson) return print(`${toJson(result)}\n`);
	const format = command.format ?? ((fields) => wrapped(describe(fields)));
	print(format({ ...result, ...former }, flags));
	const remark = command.remark === undefined ? "" : `${command.remark}\n`;
	process.stderr.write((command.warn?.(result) ?? "") + remark);
}

/** An open database, for the host. */
interface Administration extends AsyncDisposable {
	/** @throws ResortError */
	run(call: AdminCall): Promise<Fields>;
}

/**
 * Opens the database beside the instances that serve it. Changes are logged on stderr.
 * @throws StartError with exit code 2 if it is in memory, 1 if it cannot be opened
 */
async function openAdministration(flags: Flags): Promise<Administration> {
	const config = readSettings(
		[
			...(["database", "database-connections", "log-format"] as const),
			...(["max-stay", "identity-url", "registration"] as const),
		],
		flags,
		process.env,
	);
	const { database } = config;
	if (database === ":memory:") {
		throw new StartError(
			"no other program can open a database in memory: change what is in it by the test controls (resort serve --ephemeral --test-controls)",
			2,
		);
	}
	const engine = engineOf(database);
	if (!engine.hasServer && !existsSync(database)) {
		throw new StartError(
			`database ${database} is not there; --database or --config says where it is`,
			1,
		);
	}
	const { store, migration } = await engine.open({
		database,
		connections: config["database-connections"],
		environment: process.env,
		isAdministration: true,
	});
	const log = openLog("info", config["log-format"]);
	if (migration !== null)
		log.logger.info("database migrated", { ...migration });
	const url = config["identity-url"];
	const context: AdminContext = {
		store,
		clock: Date.now,
		random: systemRandom,
		maxStayMs: config["max-stay"],
		provider: url === null ? null : providerAt(url),
		registration: config.registration,
	};
	return {
		async run({ operation, input = {} }) {
			const found = adminOperations[operation];
			if (found === undefined) throw new TypeError(`no operation ${operation}`);
			return {
				...(await runAdminOperation(
					context,
					operation,
					found,
					input,
					log.logger,
				)),
			};
		},
		async [Symbol.asyncDispose]() {
			await store.close();
			await log.close();
		},
	};
}

/** The identity provider as far as administration needs it, which never calls it. */
function providerAt(url: string): AdminContext["provider"] {
	return { url, origin: new URL(url).origin, ping: async () => false };
}

/**
 * Reads the id of an agent from stdin, a terminal or a pipe.
 * @param showsPrompt whether a prompt is printed on stderr
 * @throws StartError if it is another id
 */
async function confirmId(
	{ id, name, isErased }: Fields,
	showsPrompt: boolean,
): Promise<void> {
	if (showsPrompt) {
		const what =
			isErased === true
				? line`${id} was erased already. Erasing it again does no harm.`
				: line`This erases ${name} (${id}), and cannot be undone.`;
		// A terminal shows the line break that is typed; a pipe does not.
		const end = process.stdin.isTTY ? " " : "\n";
		process.stderr.write(`${what}Type the id again, to go on:${end}`);
	}
	let typed = "";
	for await (const input of console) {
		typed = input;
		break;
	}
	if (typed.trim().toLowerCase() !== id) {
		throw new StartError("that is another id: nothing was changed", 1);
	}
}

function printFailure(
	{
		error,
		hint,
	}: { readonly error: string; readonly hint?: string | undefined },
	isJson: boolean,
): void {
	const text = isJson
		? toJson({ error, ...(hint !== undefined && { hint }) })
		: clean(`resort: ${[error, hint].filter(Boolean).join(". ")}`);
	process.stderr.write(`${text}\n`);
}
