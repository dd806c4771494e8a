/** Node on the path, and other versions of it: `RESORT_TEST_NODES` lists their paths, separated by colons. */
export const nodes: readonly string[] = [
	"node",
	...(process.env.RESORT_TEST_NODES ?? "").split(":").filter((path) => path),
];

/** The folder `node_modules` with webpack and the versions of npm that `.ci/run` installs. */
export const packages = process.env.RESORT_TEST_PACKAGES ?? "";

/** Why tests that use {@link packages} cannot run. */
export const missingPackages = packages === "" && "needs RESORT_TEST_PACKAGES: see CONTRIBUTING.md";
