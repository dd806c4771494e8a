import { readFileSync } from "node:fs";
import { join } from "node:path";
import { testPeer } from "../peer.ts";

const projects = join(import.meta.dir, "../../features/testing/testing-module/projects");

/** Test runners that are not installed as dependencies. Tests in test/features/testing run the others. */
const runners = [
	{
		name: "jest",
		packages: ["jest@30.5.2", "jest-environment-jsdom@30.5.2"],
		flags: ["--testMatch", "**/jest.cjs"],
	},
	{ name: "mocha", packages: ["mocha@12.0.3", "sinon@22.1.0"], flags: ["--timeout", "10000", "mocha.cjs"] },
];

for (const { name, packages, flags } of runners) {
	testPeer(name, packages, async ({ installModule, run, write }) => {
		await installModule();
		// The files use fake timers and a stubbed fetch. Calls of `agent-resort/testing` must settle even then.
		for (const file of ["visit.cjs", `${name}.cjs`]) write(file, readFileSync(join(projects, file)));
		await run([name, ...flags]);
	});
}
