import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

const LockedPackage = Type.Object({
	version: Type.String(),
	license: Type.String(),
	dev: Type.Optional(Type.Boolean()),
	devOptional: Type.Optional(Type.Boolean()),
	optional: Type.Optional(Type.Boolean()),
});

const Lock = Type.Object({
	name: Type.String(),
	version: Type.String(),
	packages: Type.Record(Type.String(), LockedPackage),
});

/** The runtime, which is a development dependency for npm, but a part of every executable. */
const RUNTIME = "node_modules/bun";

/**
 * Returns the SBOM of an executable as CycloneDX 1.6 JSON: the production dependencies and Bun. The SBOM has
 * neither a time nor a serial number, so that the same lock file results in the same bytes.
 * @param lock the content of package-lock.json
 * @throws Error if `lock` is not a lock file, or if a package in it has no license
 */
export function createSbom(lock: unknown): string {
	const { name, version, packages } = Value.Parse(Lock, lock);
	const components = Object.entries(packages)
		.filter(([path, locked]) => path === RUNTIME || isProduction(path, locked))
		.map(([path, locked]) => component("library", path.replace(/^.*node_modules\//, ""), locked))
		.sort((a, b) => (a.purl < b.purl ? -1 : 1));
	const license = packages[""]?.license ?? "";
	const bom = {
		bomFormat: "CycloneDX",
		specVersion: "1.6",
		version: 1,
		metadata: { component: component("application", name, { version, license }) },
		components,
	};
	return `${JSON.stringify(bom, null, "\t")}\n`;
}

function isProduction(path: string, { dev, devOptional, optional }: typeof LockedPackage.static): boolean {
	return path !== "" && !dev && !devOptional && !optional;
}

function component(
	type: "application" | "library",
	name: string,
	{ version, license }: { version: string; license: string },
) {
	const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
	// A single license has an SPDX id. Several licenses are an SPDX expression.
	const licenses = license.includes(" ") ? [{ expression: license }] : [{ license: { id: license } }];
	return { type, "bom-ref": purl, name, version, licenses, purl };
}
