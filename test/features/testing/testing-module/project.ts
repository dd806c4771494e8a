import { copyFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { clientPackage } from "../../../client/client.ts";
import { root } from "../../../support/documents.ts";
import { type Ended, executable, runProgram } from "../../../support/executable.ts";
import { TemporaryFolder } from "../../../support/folder.ts";

/** The project of a user who has installed the package that `bun run build` creates. */
export class Project extends TemporaryFolder {
	/** Creates a project without network access. */
	static async create(): Promise<Project> {
		const project = new Project();
		project.write('{"private":true,"type":"module"}', "package.json");
		const install = ["npm", "install", "--offline", "--no-audit", "--no-fund", clientPackage];
		const { exitCode, stderr } = await project.run(install, { npm_config_update_notifier: "false" });
		if (exitCode !== 0) throw new Error(stderr);
		return project;
	}

	/** Links a package from this repository's node_modules into the project. */
	link(name: string): void {
		symlinkSync(join(root, "node_modules", name), this.file(`node_modules/${name}`));
	}

	/** Copies a program from the folder `projects` into the project. */
	copy(source: string, name = source): void {
		copyFileSync(join(import.meta.dir, "projects", source), this.file(name));
	}

	/** Runs a command in the project, with the path of the executable in RESORT_EXECUTABLE. */
	run(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
		const usual = { PATH: process.env.PATH, HOME: this.path, RESORT_EXECUTABLE: executable };
		return runProgram(command, { cwd: this.path, env: { ...usual, ...env } });
	}
}

/** Returns whether an instance answers at an address. */
export function answers(url: string): Promise<boolean> {
	return fetch(`${url}/api/health`).then(
		({ ok }) => ok,
		() => false,
	);
}

/** Starts a server that is not a resort. It returns JSON with status 201 below `/json/`, and a page elsewhere. */
export const startStranger = () =>
	Bun.serve({
		port: 0,
		fetch: ({ url }) =>
			url.includes("/json/") ? Response.json({ ok: true }, { status: 201 }) : new Response("<h1>Hello</h1>"),
	});
