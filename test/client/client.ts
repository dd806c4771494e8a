import { afterAll, expect } from "bun:test";
import { existsSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Certificate } from "../support/certificate.ts";
import { endOf, executable } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { requireNoSecrets } from "../support/secrets.ts";
import { useDisposable } from "../support/use-disposable.ts";
import { permissionsOf } from "../support/user.ts";
import { ClientProcess } from "./client-process.ts";

const dist = join(import.meta.dir, "../../dist");

/** The package of the client, and the client as a single file. `bun run build` creates both. */
export const clientPackage = join(dist, "agent-resort-client.tgz");
export const clientProgram = join(dist, "agent-resort.mjs");

/** A symbolic link to agent-resort.mjs without the suffix, like the link that npm creates for a program. */
const clientLink = join(dist, "agent-resort");
// Creates the link under another name and renames it, because several test processes do so at once.
symlinkSync("agent-resort.mjs", `${clientLink}.${process.pid}`);
renameSync(`${clientLink}.${process.pid}`, clientLink);

/** Both forms of the client: the program for Node, and the command `guest` of the executable. */
export const wrappings = [
	["agent-resort", ["node", clientLink]],
	["resort guest", [executable, "guest"]],
] as const;

/** Starts a {@link ClientProcess} for all tests in a file. */
export function useClientProcess(): ClientProcess {
	const client = new ClientProcess();
	afterAll(() => client.stop());
	return client;
}

/** Returns every second row, to test with one of two builds of the same client: the one called `name`. */
export function shareOf<T>(name: string, rows: readonly T[]): T[] {
	return rows.filter((_, at) => wrappings[at % wrappings.length]?.[0] === name);
}

/** A request that a server has received. */
interface Asked {
	readonly target: string;
	readonly headers: Readonly<Record<string, string>>;
}

/** Starts a server that records requests, and answers them with `answer`, which a test may replace later. */
export function fakeResort(answer: (request: Request) => Response | Promise<Response>, tls?: Certificate) {
	const asked: Asked[] = [];
	const server = Bun.serve({
		...(tls && { tls }),
		port: 0,
		hostname: "127.0.0.1",
		// The server ends no call: only the client's own time limits may do so.
		idleTimeout: 0,
		fetch(request): Response | Promise<Response> {
			// Copies the header fields, because the runtime discards them after the response.
			const headers = Object.fromEntries(request.headers);
			asked.push({ target: new URL(request.url).pathname, headers });
			return resort.answer(request);
		},
	});
	const resort = {
		port: server.port ?? 0,
		url: `http://127.0.0.1:${server.port}`,
		answer,
		asked,
		[Symbol.asyncDispose]: () => server.stop(true),
	};
	return resort;
}

/**
 * Creates a separate home directory. Returns functions that run commands of the client in this directory.
 * @param program a command to start for each command line, or a process for all lines without input
 */
export function clientHouse(program: readonly string[] | ClientProcess, more: Record<string, string> = {}) {
	const home = new TemporaryFolder();
	const env = { HOME: home.path, PATH: process.env.PATH ?? "", ...more };
	const command = program instanceof ClientProcess ? ["node", clientLink] : program;
	const start = (args: readonly string[], stdin = "") =>
		Bun.spawn([...command, ...args], {
			cwd: "/",
			env,
			stdin: Buffer.from(stdin),
			stdout: "pipe",
			stderr: "pipe",
		});
	const run = (args: readonly string[], stdin = "") =>
		program instanceof ClientProcess && stdin === "" ? program.run(args, env) : endOf(start(args, stdin));
	return {
		home: home.path,
		file: join(home.path, FILE_NAME),
		start,
		run,
		/** Runs a command that must succeed and print no key. Returns its output as JSON. */
		async ok(...args: string[]) {
			const { exitCode, stdout, stderr } = await run(args);
			if (exitCode !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
			requireNoSecrets(stdout + stderr);
			return JSON.parse(stdout);
		},
		/** Runs a command that must fail with this exit code and report `why`. Returns its output. */
		async fails(exitCode: number, args: readonly string[], why = "", stdin = "") {
			const ended = await run(args, stdin);
			expect({ exitCode: ended.exitCode, stderr: ended.stderr }).toEqual({
				exitCode,
				stderr: expect.stringContaining(why),
			});
			return ended;
		},
		[Symbol.dispose]: () => home[Symbol.dispose](),
		[Symbol.asyncDispose]: async () => home[Symbol.dispose](),
	};
}

/** Creates a {@link clientHouse}, whose client calls `resort`, for each test. */
export function useHouse(
	program: readonly string[] | ClientProcess,
	resort: { readonly url: string },
	env: Record<string, string> = {},
) {
	return useDisposable(() => clientHouse(program, { RESORT_API_URL: resort.url, ...env }));
}

/** Starts a server that answers every request with `{"ok":true}`. */
export const quietResort = (tls?: Certificate) => fakeResort(() => Response.json({ ok: true }), tls);

/** Returns a response with an event stream that ends after `text`. */
export const eventStream = (text: string) =>
	new Response(text, { headers: { "content-type": "text/event-stream" } });

/** The name of the client's configuration file in the home directory. */
export const FILE_NAME = ".agent-resort.json";

/** The contents of a configuration file. */
export const stored = { apiKey: "ar_k", agentId: "an id", apiUrl: "http://127.0.0.1:9" };

/** Starts a server that accepts every key, and returns the same agent for all of them. */
export const acceptingResort = () =>
	fakeResort((request) => {
		const body = { ok: true, agent: { id: "an id" } };
		return request.method === "POST"
			? Response.json({ ...body, apiKey: "ar_new" }, { status: 201 })
			: Response.json(body);
	});

/** Expects that a configuration file is complete if it exists. */
export function requireWhole(path: string): void {
	if (!existsSync(path)) return;
	expect(Object.keys(JSON.parse(readFileSync(path, "utf8")))).toEqual(["apiKey", "agentId", "apiUrl"]);
	expect(permissionsOf(path)).toBe(0o600);
}
