import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientPackage } from "../../../client/client.ts";
import { root } from "../../../support/documents.ts";
import { type Ended, executable, runProgram } from "../../../support/executable.ts";
import { TemporaryFolder } from "../../../support/folder.ts";

/** A project of a user, in which the packed module is installed. */
export type Project = Awaited<ReturnType<typeof newProject>>;

/** Creates a project, and installs the package of `bun run build` in it without network access. */
export async function newProject() {
	const folder = new TemporaryFolder();
	const project = {
		path: folder.path,
		write: (name: string, text: string) => writeFileSync(join(folder.path, name), text),
		/** Links a package of this repository into the project's node_modules. */
		link: (name: string) =>
			symlinkSync(join(root, "node_modules", name), join(folder.path, "node_modules", name)),
		/** Runs a command in the project, with the path of the executable in RESORT_EXECUTABLE. */
		run(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
			const usual = { PATH: process.env.PATH, HOME: folder.path, RESORT_EXECUTABLE: executable };
			return runProgram(command, { cwd: folder.path, env: { ...usual, ...env } });
		},
		[Symbol.dispose]: () => folder[Symbol.dispose](),
	};
	project.write("package.json", '{"private":true,"type":"module"}');
	const quietly = ["--offline", "--no-audit", "--no-fund"];
	const { exitCode, stderr } = await project.run(["npm", "install", ...quietly, clientPackage], {
		npm_config_update_notifier: "false",
	});
	if (exitCode !== 0) throw new Error(stderr);
	return project;
}

/** Returns whether an instance answers at an address. */
export function answers(url: string): Promise<boolean> {
	return fetch(`${url}/api/health`).then(
		({ ok }) => ok,
		() => false,
	);
}

/** Starts a server that is not a resort: `/json` answers JSON with another status, every other path a page. */
export const startStranger = () =>
	Bun.serve({
		port: 0,
		fetch: ({ url }) =>
			url.includes("/json/") ? Response.json({ ok: true }, { status: 201 }) : new Response("<h1>Hello</h1>"),
	});
