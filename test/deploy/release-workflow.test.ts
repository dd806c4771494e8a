import { describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { readDocument, root } from "../support/documents.ts";
import { Job, readWorkflow } from "./action.ts";

const { jobs } = readWorkflow("release.yml");

/** The stand-in for a program that publishes: prints its name and its arguments. */
const STAND_IN = `#!/bin/sh
echo "\${0##*/} $*"
`;

/**
 * Returns a job of the workflow, in a folder with the files for its steps. Programs that publish are
 * replaced.
 */
function jobOf(name: string) {
	const job = new Job(root, jobs[name]?.steps ?? []);
	const bin = join(job.path, "bin");
	mkdirSync(bin);
	for (const program of ["gh", "npm"]) {
		writeFileSync(join(bin, program), STAND_IN, { mode: 0o755 });
	}
	for (const file of ["package.json", "install.sh", "CHANGELOG.md"]) {
		copyFileSync(join(root, file), join(job.path, file));
	}
	const env = {
		PATH: `${bin}:${process.env.PATH}`,
		GITHUB_REPOSITORY: "Some-One/agent-resort",
		GITHUB_REF_NAME: `v${version}`,
	};
	return {
		path: job.path,
		run: (step: string, inputs = {}, more = {}) => job.run(step, inputs, { ...env, ...more }),
		[Symbol.dispose]: () => job[Symbol.dispose](),
	};
}

describe("release.yml", () => {
	test("fails if the tag is not the version in package.json", async () => {
		using job = jobOf("release");
		const step = "Compare the tag with the version";
		expect(await job.run(step)).toEqual({ exitCode: 0, output: "" });
		const other = { GITHUB_REF_NAME: "v0.0.1" };
		expect(await job.run(step, {}, other)).toEqual({
			exitCode: 1,
			output: `::error::the tag is v0.0.1, but package.json has the version ${version}\n`,
		});
	});

	test("publishes install.sh with the address of the repository", async () => {
		using job = jobOf("release");
		mkdirSync(join(job.path, "dist/release"), { recursive: true });
		const { output } = await job.run("Build the files of the release");
		expect(output).toBe("npm ci\nnpm run release\n");
		const script = Bun.file(join(job.path, "dist/release/install.sh"));
		expect(await script.text()).toBe(
			readDocument("install.sh").replaceAll("OWNER/agent-resort", "Some-One/agent-resort"),
		);
	});

	test("creates the release with the section for its version in the changelog", async () => {
		using job = jobOf("release");
		mkdirSync(join(job.path, "dist/release"), { recursive: true });
		writeFileSync(join(job.path, "dist/release/SHA256SUMS"), "");
		writeFileSync(
			join(job.path, "CHANGELOG.md"),
			`# Changelog\n\n## ${version}-rc.1\n\nold\n\n## ${version} (2026-12-01)\n\n- News.\n\n## 0.9.0\n\nolder\n`,
		);
		const { exitCode, output } = await job.run("Create the release");
		const notes = join(job.path, "temp/notes.md");
		expect({ exitCode, output }).toEqual({
			exitCode: 0,
			output: `gh release create v${version} --verify-tag --title v${version} --notes-file ${notes} dist/release/SHA256SUMS\n`,
		});
		expect((await Bun.file(notes).text()).trim()).toBe("- News.");
		const other = { GITHUB_REF_NAME: "v7.7.7" };
		const refused = await job.run("Create the release", {}, other);
		expect(refused).toEqual({ exitCode: 1, output: "::error::CHANGELOG.md has no section 7.7.7\n" });
	});

	test("publishes the client with the address of the repository", async () => {
		using job = jobOf("release");
		mkdirSync(join(job.path, "dist"));
		symlinkSync(join(root, "dist"), join(job.path, "dist/release"));
		const { exitCode, output } = await job.run("Publish the client");
		expect({ exitCode, output }).toEqual({
			exitCode: 0,
			output: `npm pkg set repository.type=git repository.url=git+https://github.com/Some-One/agent-resort.git
npm publish --access public
`,
		});
		const made = Bun.file(join(job.path, "temp/package/package.json"));
		expect(await made.exists()).toBe(true);
	});

	test("runs the tests before anything is published", () => {
		expect(jobs.test).toEqual({ uses: "./.github/workflows/ci.yml" } as object);
		for (const name of ["release", "image"]) {
			expect(jobs[name]).toMatchObject({ needs: "test" });
		}
	});
});
