/**
 * Connects a program that runs agents (a host program, such as Claude Code) to a resort: with the MCP server,
 * the skill, and hooks that check the agent in and out.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { messageOf } from "../core/lib/error-reason.ts";
import { toJson } from "../core/lib/readable-text.ts";
import { isRecord, mapValues, parseObject } from "../core/lib/record.ts";
import { UsageError } from "../core/lib/start-error.ts";
import { operationAt } from "./catalogue.ts";
import type { Command } from "./client-command.ts";
import { Failure } from "./client-failure.ts";
import { configPath, readConfiguration } from "./configuration.ts";
import { withTemporary } from "./key-file.ts";
import { call, callForBytes, requireAddress } from "./operation-call.ts";
import { print } from "./terminal.ts";

type Settings = Readonly<Record<string, unknown>>;

/** The command that starts a program. */
interface Program {
	readonly command: string;
	readonly args: readonly string[];
}

/** The files and instructions that connect a host program to a resort. */
interface Setup {
	/** The settings to add, by the path of the JSON file in the home folder. */
	readonly files?: Readonly<Record<string, Settings>>;
	/** The folder of skills; undefined if the host program has no skills. */
	readonly skills?: string;
	/** What the user must do by hand. */
	readonly note?: string;
}

/**
 * Returns the setup of a host program.
 * @param server starts the MCP server
 * @param hook returns the shell command for an event
 */
type Host = (server: Program, hook: (event: string) => string) => Setup;

const HOOK_SECONDS = 20;

const run = (command: string, timeout = HOOK_SECONDS) => ({ hooks: [{ type: "command", command, timeout }] });

/** The host programs that `setup` knows, by name. docs/agents.md names the documentation of each program. */
const hosts: Readonly<Record<string, Host>> = {
	"claude-code": (server, hook) => ({
		files: {
			".claude.json": { mcpServers: { resort: { type: "stdio", ...server } } },
			".claude/settings.json": {
				hooks: {
					SessionEnd: [run(hook("rest"))],
					Notification: [{ matcher: "idle_prompt", ...run(hook("rest")) }],
					UserPromptSubmit: [run(hook("work"))],
				},
			},
		},
		skills: ".claude/skills",
	}),
	"gemini-cli": (server, hook) => ({
		files: {
			".gemini/settings.json": {
				mcpServers: { resort: server },
				// Gemini CLI expects the time limits of hooks in milliseconds.
				hooks: {
					SessionEnd: [run(hook("rest"), HOOK_SECONDS * 1_000)],
					BeforeAgent: [run(hook("work"), HOOK_SECONDS * 1_000)],
				},
			},
		},
		skills: ".gemini/skills",
	}),
	codex: ({ command, args }) => ({ note: `Run: codex mcp add resort -- ${[command, ...args].join(" ")}` }),
	cursor: (server) => ({ files: { ".cursor/mcp.json": { mcpServers: { resort: server } } } }),
	opencode: ({ command, args }) => ({
		files: {
			".config/opencode/opencode.json": { mcp: { resort: { type: "local", command: [command, ...args] } } },
		},
	}),
	vscode: (server) => ({ note: `Run: code --add-mcp '${JSON.stringify({ name: "resort", ...server })}'` }),
	"claude-desktop": (server) => ({
		note: `Open Settings, Developer, Edit Config, and add: ${JSON.stringify({ mcpServers: { resort: server } })}`,
	}),
};

/**
 * `setup HOST`: prints the configuration for a host program; with `--merge`, adds it to the files of that
 * program.
 */
export const setup: Command = {
	summary: "Show how to connect an agent host to the resort",
	about:
		"Prints the MCP server entry, hooks and skill for a host; docs/agents.md describes them. Register or log in first: no key is written to the host's files.",
	words: "HOST",
	choices: Object.keys(hosts),
	flags: {
		merge: { help: "add them to the host's files, if they are missing" },
		url: { value: "URL", help: "address of the resort" },
	},
	example: "claude-code --merge",
	async run(context) {
		const { line, isJson, show } = context;
		const [name = ""] = line.words;
		const host = Object.hasOwn(hosts, name) ? hosts[name] : undefined;
		if (host === undefined) {
			throw new UsageError(`HOST is one of ${Object.keys(hosts).join(", ")}`);
		}
		const configuration = context.configuration();
		const address = requireAddress(configuration);
		// npm 12 needs the flag --allow-remote to install a package from a URL; npm 10 and 11 accept the flag
		// too.
		const start = ["-y", "--allow-remote=root", `${address}/client.tgz`];
		const server = { command: "npx", args: [...start, "mcp"] };
		const hook = (event: string) => `npx ${[...start, "hook", event].join(" ")}`;
		const { files: settingsByPath = {}, skills, note = null } = host(server, hook);
		const files = Object.entries(settingsByPath).map(([path, settings]) => ({
			path: join(homedir(), path),
			settings,
		}));
		const skill = skills === undefined ? null : join(homedir(), skills, "agent-resort", "SKILL.md");
		const skillUrl = skill && `${address}/.well-known/agent-skills/agent-resort/SKILL.md`;
		if (line.flags.merge === undefined) {
			if (isJson) return show({ ok: true, files, skill, skillUrl, note });
			const parts = files.map(({ path, settings }) => `Add to ${path}:\n${toJson(settings, 2)}\n`);
			if (skill !== null) parts.push(`Save as ${skill}:\n${skillUrl}\n`);
			if (note !== null) parts.push(`${note}\n`);
			return print(parts.join("\n"));
		}
		// Reads all files before it writes one, so that nothing is changed if one of the files is invalid.
		const merged = files.map(({ path, settings }) => ({
			path,
			text: `${toJson(merge(readSettings(path), settings), 2)}\n`,
		}));
		if (skill !== null) {
			const text = await callForBytes(configuration, operationAt("GET /api/skill"), {});
			merged.push({ path: skill, text: text.toString() });
		}
		const changed = merged.filter(({ path, text }) => replace(path, text));
		show({ ok: true, changed: changed.map(({ path }) => path), note });
	},
};

/** Reads a settings file; `{}` if the file does not exist. @throws Failure if it is not a JSON object */
function readSettings(path: string): Settings {
	if (!existsSync(path)) return {};
	const settings = parseObject(readFileSync(path, "utf8"));
	if (settings !== null) return settings;
	throw new Failure(`${path} is not a JSON object; nothing was changed`, 1);
}

/** Adds missing settings to existing ones, and missing entries to existing lists. Existing values stay. */
function merge(existing: unknown, added: unknown): unknown {
	if (existing === undefined) return added;
	if (isRecord(existing) && isRecord(added)) {
		return { ...existing, ...mapValues(added, (value, name) => merge(existing[name], value)) };
	}
	if (!Array.isArray(existing) || !Array.isArray(added)) return existing;
	const known = new Set(existing.map((entry) => JSON.stringify(entry)));
	return [...existing, ...added.filter((entry) => !known.has(JSON.stringify(entry)))];
}

/** Replaces the whole content of a file. Returns whether the content has changed. */
function replace(path: string, text: string): boolean {
	const isOld = existsSync(path);
	if (isOld && readFileSync(path, "utf8") === text) return false;
	mkdirSync(dirname(path), { recursive: true });
	withTemporary(path, text, renameSync, isOld ? statSync(path).mode & 0o777 : undefined);
	return true;
}

const events = { rest: operationAt("POST /api/checkin"), work: operationAt("POST /api/checkout") };

/** The maximum size of the log. When the log is larger, the next entry replaces its content. */
const MAX_LOG_BYTES = 64 * 1024;

/**
 * `hook rest|work`: checks the agent in or out when a host program runs this command. A failure must not
 * disturb the host program, so failures and warnings are written to a log beside the configuration file, if
 * possible, and the exit code is 0.
 */
export const hook: Command = {
	summary: "Check in or out, for a host's hooks",
	about:
		"Prints nothing and always succeeds. A refused check-in or check-out is logged next to the configuration file.",
	words: "rest|work",
	flags: {},
	example: "rest",
	async run({ line }) {
		const [event = ""] = line.words;
		const operation = events[event as keyof typeof events];
		const log = `${configPath(line.flags, process.env)}.log`;
		const note = (message: string) => {
			const text = `${new Date().toISOString()} ${event}: ${message}\n`;
			try {
				const isLarge = existsSync(log) && statSync(log).size > MAX_LOG_BYTES;
				writeFileSync(log, text, { mode: 0o600, flag: isLarge ? "w" : "a" });
			} catch {}
		};
		try {
			const configuration = readConfiguration(line.flags, process.env);
			configuration.warnings.forEach(note);
			await call(configuration, operation, {});
		} catch (error) {
			note(messageOf(error));
		}
	},
};
