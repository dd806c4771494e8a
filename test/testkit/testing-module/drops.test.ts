import { expect } from "bun:test";
import { join } from "node:path";
import { root } from "../../support/documents.ts";
import { executable } from "../../support/executable.ts";
import { runTool, testWith } from "../../support/tools.ts";

/** Arms a drop while connections are kept alive, and asks for something else at once. */
const PROGRAM = `
const { startResort } = await import(${JSON.stringify(join(root, "dist/testing.mjs"))});
const resort = await startResort({ executable: ${JSON.stringify(executable)} });
const told = {};
const askFor = async (path) => {
	const answer = await fetch(resort.url + path).then(
		async (response) => (await response.text(), response.status),
		() => "dropped",
	);
	const key = path + " " + answer;
	told[key] = (told[key] ?? 0) + 1;
};
const six = () => Promise.all(Array.from({ length: 6 }, () => askFor("/api/health")));
for (let round = 0; round < 20; round++) {
	await six();
	await resort.fault({ operation: "getLobby", drop: true });
	await six();
	await askFor("/api/lobby");
}
await resort.stop();
console.log(JSON.stringify(told));
`;

testWith(
	["node"],
	"a drop meets its own call and no other, in Node",
	async () => {
		const args = ["--input-type=module", "-e", PROGRAM];
		const { output } = await runTool("node", args);
		expect(JSON.parse(output)).toEqual({
			"/api/health 200": 240,
			"/api/lobby dropped": 20,
		});
	},
);
