import { expect, test } from "bun:test";
import { join } from "node:path";

interface Package {
	readonly version?: string;
	readonly peerDependencies?: Readonly<Record<string, string>>;
}

const lock = await Bun.file(join(import.meta.dir, "../../package-lock.json")).json();
const packages: Readonly<Record<string, Package>> = lock.packages;

/** Returns the folders in which Node looks for the imports of a package, nearest first. */
function lookUpFolders(path: string): string[] {
	const parts = path.split("/node_modules/");
	const own = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
	return [...own.reverse().map((folder) => `${folder}/`), ""];
}

/** Returns the version of `name` that Node finds for the package at `path`; undefined if there is none. */
function versionFor(path: string, name: string): string | undefined {
	return lookUpFolders(path)
		.map((folder) => packages[`${folder}node_modules/${name}`]?.version)
		.find((version) => version !== undefined);
}

test("every installed peer dependency in package-lock.json, even an optional one, has a version in the required range", () => {
	const wrong = Object.entries(packages).flatMap(([path, { peerDependencies = {} }]) =>
		Object.entries(peerDependencies)
			.map(([name, range]) => {
				return { path, name, range, version: versionFor(path, name) };
			})
			.filter(({ range, version }) => version !== undefined && !Bun.semver.satisfies(version, range)),
	);
	expect(Object.keys(packages).length).toBeGreaterThan(100);
	expect(wrong).toEqual([]);
});
