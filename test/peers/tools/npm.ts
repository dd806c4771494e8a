import type { Peer } from "../peer.ts";

const VERSIONS = ["10.9.9", "11.21.2", "12.2.2"];

const REMOTE = "--allow-remote=root";

/** The commands with which users install and run the client and the module. */
export const npms: readonly Peer[] = VERSIONS.map((version) => ({
	name: `npm-${version.split(".")[0]}`,
	packages: [`npm@${version}`],
	async run({ check, expectOutput, folder, run, serve, write }) {
		const resort = await serve();
		const archive = `${resort.url}/client.tgz`;
		await check(`npx --yes ${REMOTE} URL/client.tgz`, "runs", async () => {
			const help = await run(["npx", "--yes", REMOTE, archive, "--help"]);
			if (!help.includes("Usage: agent-resort")) throw new Error(help);
		});
		await check(
			`npm install --no-save ${REMOTE} URL/client.tgz`,
			"installs the module, writes no lock file",
			async () => {
				write("package.json", '{"private":true,"type":"module","name":"x"}');
				await run(["npm", "install", "--no-save", REMOTE, archive]);
				write("use.mjs", USE);
				await expectOutput("200 false", ["node", "use.mjs"]);
			},
		);
		await check(`npm install --global ${REMOTE} URL/client.tgz`, "installs the client", async () => {
			const prefix = ["--prefix", `${folder}/global`];
			await run(["npm", "install", "--global", ...prefix, REMOTE, archive]);
			const help = await run([`${folder}/global/bin/agent-resort`, "--help"]);
			if (!help.includes("Usage: agent-resort")) throw new Error(help);
		});
	},
}));

const USE = `import { existsSync } from "node:fs";
import { startResort } from "agent-resort/testing";

const resort = await startResort();
const { status } = await fetch(resort.url + "/api/health");
await resort.stop();
console.log(status, existsSync("package-lock.json"));
`;

/** The client as one file, without npm. */
export const curl: Peer = {
	name: "curl",
	packages: [],
	needs: { command: ["curl", "--version"], debian: "curl" },
	async run({ check, run, serve }) {
		const resort = await serve();
		await check("-fsSO URL/agent-resort.mjs", "node runs it", async () => {
			await run(["curl", "-fsSO", `${resort.url}/agent-resort.mjs`]);
			const help = await run(["node", "agent-resort.mjs", "--help"]);
			if (!help.includes("Usage: ")) throw new Error(help);
		});
	},
};
