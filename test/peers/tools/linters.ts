/** Tests the OpenAPI document with linters, each with its recommended rules. */
import { expect } from "bun:test";
import { testPeer } from "../peer.ts";

testPeer("spectral", ["@stoplight/spectral-cli@6.16.3"], async ({ run, serve, write }) => {
	const resort = await serve();
	write(".spectral.yaml", 'extends: ["spectral:oas"]');
	const strictly = ["--fail-severity", "warn", "--format", "text"];
	await run(["spectral", "lint", `${resort.url}/openapi.json`, ...strictly]);
});

testPeer("redocly", ["@redocly/cli@2.77.0"], async ({ run, serve, write }) => {
	const resort = await serve();
	// `operation-4xx-response` is off, because a document such as llms.txt has no 4xx response of its own.
	write("redocly.yaml", "extends: [recommended]\nrules:\n  operation-4xx-response: off\n");
	const problems = await run(["redocly", "lint", `${resort.url}/openapi.json`, "--format", "checkstyle"]);
	expect(problems).not.toContain("message=");
});
