import type { Peer } from "../peer.ts";

/** Linters of OpenAPI documents, each with its recommended rules. */
export const linters: readonly Peer[] = [
	{
		name: "spectral",
		packages: ["@stoplight/spectral-cli@6.16.3"],
		async run({ check, run, serve, write }) {
			const resort = await serve();
			write(".spectral.yaml", 'extends: ["spectral:oas"]');
			await check("lint openapi.json", "no warning", async () => {
				const strictly = ["--fail-severity", "warn", "--format", "text"];
				const document = `${resort.url}/openapi.json`;
				await run(["spectral", "lint", document, ...strictly]);
			});
		},
	},
	{
		name: "redocly",
		packages: ["@redocly/cli@2.77.0"],
		async run({ check, run, serve, write }) {
			const resort = await serve();
			// Documents such as llms.txt have no response of 4xx of their own.
			write("redocly.yaml", "extends: [recommended]\nrules:\n  operation-4xx-response: off\n");
			await check("lint openapi.json", "no warning", async () => {
				const document = `${resort.url}/openapi.json`;
				const problems = await run(["redocly", "lint", document, "--format", "checkstyle"]);
				const [first] = /message="[^"]*"/.exec(problems) ?? [];
				const count = problems.split("message=").length - 1;
				if (first !== undefined) throw new Error(`${count}, such as ${first}`);
			});
		},
	},
];
