import { dirname } from "node:path";
import { executable } from "../../support/executable.ts";
import type { Peer } from "../peer.ts";

const TEST = `import { startResort } from "agent-resort/testing";

startResort({ fixtures: { agents: [{ name: "Ada" }] } }).then(async (resort) => {
	const { agents } = await resort.state();
	await resort.stop();
	console.log("agents: " + agents);
});
`;

const bundlers: readonly {
	readonly name: string;
	readonly packages: readonly string[];
	readonly formats: Readonly<Record<string, readonly string[]>>;
}[] = [
	{
		name: "esbuild",
		packages: ["esbuild@0.28.2"],
		formats: Object.fromEntries(
			[
				["esm", "out.mjs"],
				["cjs", "out.cjs"],
			].map(([format, out]) => [
				out,
				["esbuild", "test.js", "--bundle", "--platform=node", `--format=${format}`, `--outfile=${out}`],
			]),
		),
	},
	{
		name: "webpack",
		packages: ["webpack@5.113.0", "webpack-cli@7.3.1"],
		formats: {
			"out.cjs": [
				"webpack",
				"build",
				"./test.js",
				"--target",
				"node",
				"--mode",
				"production",
				"--output-path",
				".",
				"--output-filename",
				"out.cjs",
			],
		},
	},
];

/** Bundlers of a test that uses the module. */
export const bundlerPeers: readonly Peer[] = bundlers.map(({ name, packages, formats }) => ({
	name,
	packages,
	async run({ check, env, expectOutput, installModule, run, write }) {
		await installModule();
		write("test.js", TEST);
		for (const [out, command] of Object.entries(formats)) {
			await check(`bundles a test to ${out}`, "the test runs, with resort on the PATH", async () => {
				await run(command);
				await expectOutput("agents: 1", ["node", out], {
					RESORT_EXECUTABLE: "",
					PATH: `${env.PATH}:${dirname(executable)}`,
				});
			});
		}
	},
}));
