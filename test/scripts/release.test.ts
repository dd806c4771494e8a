import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import lock from "../../package-lock.json";
import { checksums } from "../../scripts/checksums.ts";
import { commitOf } from "../../scripts/compile.ts";
import { createSbom } from "../../scripts/sbom.ts";
import { TemporaryFolder } from "../support/folder.ts";

describe("the SBOM of an executable", () => {
	test("is in CycloneDX 1.6, and lists Bun and all dependencies, but no development tools", () => {
		expect(JSON.parse(createSbom(lock))).toMatchObject({
			bomFormat: "CycloneDX",
			specVersion: "1.6",
			metadata: { component: { name: lock.name, version: lock.version } },
		});
		const names = componentsOf(lock).map(({ name }) => name);
		expect(names).toContainValues([...Object.keys(lock.packages[""].dependencies), "memoirist", "bun"]);
		for (const tool of ["typescript", "@biomejs/biome", "ajv", ""]) {
			expect(names).not.toContain(tool);
		}
	});

	test("lists version, license and purl of each package, sorted by purl", () => {
		const packages = {
			"": { version: "1.0.0", license: "MIT" },
			"node_modules/b": { version: "2.0.0", license: "MIT OR Apache-2.0" },
			"node_modules/b/node_modules/@s/a": { version: "3.0.0", license: "MIT" },
			"node_modules/c": { version: "4.0.0", license: "MIT", dev: true },
			"node_modules/d": { version: "5.0.0", license: "MIT", optional: true },
		};
		const made = componentsOf({ name: "x", version: "1.0.0", packages });
		// To record the snapshot again, run the test with `--update-snapshots`.
		expect(made).toMatchSnapshot();
	});

	test("is not created if a package has no license", () => {
		const packages = { "node_modules/a": { version: "1.0.0" } };
		expect(() => createSbom({ name: "x", version: "1", packages })).toThrow();
	});
});

test("`checksums` returns lines in the format of `sha256sum`, sorted by file name", async () => {
	using folder = new TemporaryFolder();
	await Bun.write(join(folder.path, "b"), "");
	await Bun.write(join(folder.path, "a.exe"), "abc");
	// These are test vectors from FIPS 180-2.
	expect(await checksums(folder.path, ["b", "a.exe"])).toBe(
		`ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.exe
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  b
`,
	);
});

test("`commitOf` returns the commit of a repository, and an empty text for any other folder", async () => {
	using folder = new TemporaryFolder();
	const { path } = folder;
	expect(await commitOf(path)).toBe("");
	const git = (...args: string[]) => Bun.$`git -c user.name=x -c user.email=x ${args}`.cwd(path).quiet();
	await git("init");
	await Bun.write(join(path, "source/file"), "1");
	await git("add", ".");
	await git("commit", "-m", "x");
	await git("tag", "v1.0.0");
	expect(await commitOf(path)).toMatch(/^[0-9a-f]{7}$/);
	expect(await commitOf(join(path, "source"))).toBe("");
	await Bun.write(join(path, "source/file"), "2");
	expect(await commitOf(path)).toMatch(/^[0-9a-f]{7}-dirty$/);
});

function componentsOf(content: unknown): Record<string, unknown>[] {
	return JSON.parse(createSbom(content)).components;
}
