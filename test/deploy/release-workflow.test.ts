import { describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { readDocument, root } from "../support/documents.ts";
import { Job, readWorkflow } from "./action.ts";

const { jobs } = readWorkflow("release.yml");

/**
 * Prepares the job `release` in a folder with the files for its steps. Replaces `gh` and `npm` by scripts
 * that print their arguments.
 */
function prepareJob() {
	const job = new Job(root, jobs.release?.steps ?? []);
	mkdirSync(join(job.path, "dist/release"), { recursive: true });
	for (const program of ["gh", "npm"]) {
		writeFileSync(join(job.path, program), `#!/bin/sh\necho "\${0##*/} $*"\n`, { mode: 0o755 });
	}
	for (const file of ["package.json", "install.sh", "CHANGELOG.md"]) {
		copyFileSync(join(root, file), join(job.path, file));
	}
	const env = {
		PATH: `${job.path}:${process.env.PATH}`,
		GITHUB_REPOSITORY: "Some-One/agent-resort",
		GITHUB_REF_NAME: `v${version}`,
	};
	return {
		path: job.path,
		run: (step: string, more = {}) => job.run(step, {}, { ...env, ...more }),
		read: (name: string) => readFileSync(join(job.path, name), "utf8"),
		[Symbol.dispose]: () => job[Symbol.dispose](),
	};
}

describe("release.yml", () => {
	test("fails if the tag is not the version in package.json", async () => {
		using job = prepareJob();
		const step = "Compare the tag with the version";
		expect(await job.run(step)).toEqual({ exitCode: 0, output: "" });
		expect(await job.run(step, { GITHUB_REF_NAME: "v0.0.1" })).toEqual({
			exitCode: 1,
			output: `::error::the tag is v0.0.1, but package.json has the version ${version}\n`,
		});
	});

	test("publishes install.sh with the address of the repository", async () => {
		using job = prepareJob();
		const { output } = await job.run("Build the files of the release");
		expect(output).toBe("npm ci\nnpm run release\n");
		const expected = readDocument("install.sh").replaceAll("OWNER/agent-resort", "Some-One/agent-resort");
		expect(job.read("dist/release/install.sh")).toBe(expected);
	});

	test("creates a release whose notes are the section of its version in CHANGELOG.md", async () => {
		using job = prepareJob();
		writeFileSync(join(job.path, "dist/release/SHA256SUMS"), "");
		writeFileSync(
			join(job.path, "CHANGELOG.md"),
			`# Changelog\n\n## ${version}-rc.1\n\nold\n\n## ${version} (2026-12-01)\n\n- News.\n\n## 0.9.0\n\nolder\n`,
		);
		const notes = join(job.path, "temp/notes.md");
		expect(await job.run("Create the release")).toEqual({
			exitCode: 0,
			output: `gh release create v${version} --verify-tag --title v${version} --notes-file ${notes} dist/release/SHA256SUMS\n`,
		});
		expect(job.read("temp/notes.md").trim()).toBe("- News.");
		const refused = await job.run("Create the release", { GITHUB_REF_NAME: "v7.7.7" });
		expect(refused).toEqual({ exitCode: 1, output: "::error::CHANGELOG.md has no section 7.7.7\n" });
	});

	test("publishes the client with the address of the repository", async () => {
		using job = prepareJob();
		rmdirSync(join(job.path, "dist/release"));
		symlinkSync(join(root, "dist"), join(job.path, "dist/release"));
		expect(await job.run("Publish the client")).toEqual({
			exitCode: 0,
			output: `npm pkg set repository.type=git repository.url=git+https://github.com/Some-One/agent-resort.git
npm publish --access public
`,
		});
		expect(JSON.parse(job.read("temp/package/package.json")).name).toBe("agent-resort");
	});

	test("runs the tests before anything is published", () => {
		expect(jobs.test).toEqual({ uses: "./.github/workflows/ci.yml" } as object);
		for (const name of ["release", "image"]) {
			expect(jobs[name]).toMatchObject({ needs: "test" });
		}
	});
});
