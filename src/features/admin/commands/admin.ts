import type { Program } from "../../../core/commands/feature.ts";
import { print, requireStdout } from "../../../core/commands/print.ts";
import type { CommandGroup } from "../../../core/commands/resort-command.ts";
import type { CoreSettings } from "../../../core/config/settings.ts";
import { columns, helpOf } from "../../../core/lib/command-help.ts";
import {
	type CommandLine,
	commandIndex,
	commandNamed,
	isHelp,
	type KnownFlags,
	parseCommandLine,
	readFlag,
	type TypedFlag,
} from "../../../core/lib/command-line.ts";
import { readText } from "../../../core/lib/read-text.ts";
import { clean, toJson } from "../../../core/lib/readable-text.ts";
import { mapValues, parseObject, pick } from "../../../core/lib/record.ts";
import { ResortError } from "../../../core/lib/resort-error.ts";
import { SettingError, StartError, UsageError } from "../../../core/lib/start-error.ts";
import type { ServiceContext } from "../../../core/resort/service-context.ts";
import type { PersonalTable } from "../../../core/store/personal-table.ts";
import { nameInPasswd } from "../../../core/store/system-user.ts";
import { getAnyAgent } from "../any-agent.ts";
import { ALL_ROWS, type Arguments, flags, words } from "../arguments.ts";
import { isErased } from "../erasures.ts";
import { type AdminOperation, type OperationName, operationsWith, runOperation } from "../operations.ts";
import { createPersonalData, type PersonalData } from "../queries.ts";
import type { settings } from "../settings.ts";
import { formatResult, line, remarks } from "./formats.ts";
import { PAGE_SUMMARY, pageHelp, runPageCommand } from "./page-command.ts";

const SUMMARY = "Administer agents, texts, keys and invitations";

/** Creates `resort admin`. */
export function createAdmin(
	program: Program<CoreSettings & typeof settings>,
	personalTables: readonly PersonalTable[],
): CommandGroup {
	const { database, config } = program.configuration.settings;
	const sharedFlags: KnownFlags = {
		database: { ...database, help: "database of the instance" },
		config,
		json: { help: "print one JSON document on stdout; errors go to stderr" },
	};
	const personalData = createPersonalData(personalTables);
	return {
		summary: SUMMARY,
		help: () => help(personalData, sharedFlags),
		async run(args) {
			if (args.some(isHelp)) {
				const isPage = args[commandIndex(args, sharedFlags)] === "page";
				return print(isPage ? pageHelp(program) : help(personalData, sharedFlags));
			}
			try {
				await runCommand(program, personalData, sharedFlags, args);
			} catch (error) {
				const failure =
					error instanceof ResortError
						? new StartError(clean(error.message), 1, String(error.details.hint ?? ""))
						: error;
				if (!(failure instanceof StartError && args.includes("--json"))) throw failure;
				const { message, exitCode, hint } = failure;
				const body = { error: message, ...(hint !== "" && { hint }) };
				process.stderr.write(`${toJson(body)}\n`);
				process.exitCode = exitCode;
			}
		},
	};
}

function help(personalData: PersonalData, sharedFlags: KnownFlags): string {
	const operations = Object.entries(operationsWith(personalData));
	const rows = operations.map<[string, string]>(([name, { summary, words = [] }]) => {
		return [`${name} ${wordsOf(personalData, words)}`, summary];
	});
	rows.push(["page", PAGE_SUMMARY]);
	const shape = {
		summary: SUMMARY,
		words: "COMMAND",
		flags: { ...sharedFlags, ...flags },
		about: `Shows and changes data in the database, even while instances serve it. They see changes at their next request.
Run it as the user that runs the instances. Exit codes: 0 done, 1 refused or not found, 2 usage error.`,
	};
	return helpOf("resort admin", shape, [`Commands:\n${columns(rows)}`]);
}

/** @throws ResortError; StartError with exit code 2 for an invalid command line, else 1 */
async function runCommand(
	program: Program<CoreSettings & typeof settings>,
	personalData: PersonalData,
	sharedFlags: KnownFlags,
	args: readonly string[],
): Promise<void> {
	const at = commandIndex(args, sharedFlags);
	const name = args[at];
	if (name === undefined) throw new UsageError("admin needs a command before its flags");
	if (name === "page") {
		return runPageCommand(program, { systemUser: readSystemUser(), personalData }, args.toSpliced(at, 1));
	}
	const operation = commandNamed(operationsWith(personalData), name);
	const shape = {
		summary: operation.summary,
		words: wordsOf(personalData, operation.words),
		flags: { ...pick(flags, operation.flags ?? []), ...sharedFlags },
	};
	const commandLine = parseCommandLine(args.toSpliced(at, 1), `admin ${name}`, shape);
	const given = readArguments(operation, commandLine);
	const isJson = commandLine.flags.json !== undefined;
	// Checks stdout before any change, because a new key is printed only once.
	requireStdout();
	await using stack = new AsyncDisposableStack();
	const { context: services, log } = await program.openServices(commandLine.flags, stack);
	const context = { ...services, log: log.logger, systemUser: readSystemUser(), personalData };
	const formerName = name === "erase" ? await confirmId(context, given.id, !isJson) : given.name;
	const result = await runOperation(context, name, operation, given);
	if (isJson) return print(`${toJson(result)}\n`);
	print(formatResult(name, result, { ...given, name: formerName }));
	const remark = remarks[name as OperationName];
	if (remark !== undefined) process.stderr.write(`${remark}\n`);
}

function wordsOf({ hideables }: PersonalData, names: AdminOperation["words"] = []): string {
	const kinds = ["agent", ...hideables.keys()].join("|");
	return names.map((name) => (name === "kind" ? kinds : words[name])).join(" ");
}

/** Returns the arguments of an operation. @throws UsageError; SettingError for an invalid `--profile` file */
export function readArguments(operation: AdminOperation, commandLine: CommandLine): Arguments {
	const { words: names = [], flags: own = [] } = operation;
	const given = Object.fromEntries(names.map((word, at) => [word, commandLine.words[at]?.trim() ?? ""]));
	const { search = "", by = null, agent = null, relaxing, profile } = commandLine.flags;
	const read = <T>(flag: TypedFlag<T>, flagName: string) => readFlag(commandLine, flagName, flag) as T;
	return {
		id: "",
		name: "",
		code: "",
		kind: "agent",
		...given,
		...mapValues(pick(flags, ["offset", "uses", "days"]), read),
		limit: own.includes("limit") ? read(flags.limit, "limit") : ALL_ROWS,
		search: search.trim(),
		by,
		agent,
		relaxing: relaxing !== undefined,
		profile: profile === undefined ? {} : readProfile(profile),
	};
}

function readProfile(file: string): object {
	const source = `--profile ${file}`;
	const profile = parseObject(readText(file, source));
	if (profile !== null) return profile;
	throw new SettingError(`${source}: must contain one JSON object`);
}

/** Returns the name of the user who runs this program; with sudo(8), for example `alice as root`. */
function readSystemUser(): string {
	const user = nameInPasswd() ?? `${process.geteuid?.() ?? "unknown"}`;
	const { SUDO_USER } = process.env;
	return SUDO_USER === undefined ? user : `${SUDO_USER} as ${user}`;
}

/**
 * Requires the id of an agent on stdin, and returns the agent's name.
 * @param showsPrompt whether to print the prompt even if stdin is not a terminal
 * @throws StartError if a different id is entered; ResortError `not_found`
 */
async function confirmId({ store }: ServiceContext, target: string, showsPrompt: boolean): Promise<string> {
	const agent = await store.read(() => getAnyAgent(store, target));
	const { id, name } = agent;
	const { isTTY } = process.stdin;
	if (showsPrompt || isTTY) {
		const what = isErased(agent)
			? line`${id} is already erased. Erasing it again is harmless.`
			: line`This erases ${name} (${id}). It cannot be undone.`;
		// On a terminal, the user's line break ends the line of the prompt.
		process.stderr.write(`${what}Type the id again to continue:${isTTY ? " " : "\n"}`);
	}
	let typed = "";
	for await (const input of console) {
		typed = input;
		break;
	}
	if (typed.trim().toLowerCase() === id) return name;
	throw new StartError("the ids differ: nothing was changed");
}
