import type { Peer } from "../peer.ts";

/**
 * Uses the module while a test has replaced the timers and `fetch`: each call must settle, and reach the
 * instance. It is CommonJS, and asks the instance itself without `fetch`, which jsdom lacks.
 */
const VISIT = `const assert = require("node:assert/strict");
const { get } = require("node:http");
const { startResort } = require("agent-resort/testing");

const ask = (url) => new Promise((resolve, reject) => {
	get(url, async (response) => {
		let text = "";
		for await (const chunk of response) text += chunk;
		resolve(JSON.parse(text));
	}).on("error", reject);
});

exports.start = startResort;
exports.visit = async (resort) => {
	const { fetch } = globalThis;
	globalThis.fetch = async () => ({ ok: true, status: 200, json: async () => ({ ok: true, faults: [] }), text: async () => '{"ok":true}' });
	try {
		await resort.fault({ operation: "getLobby", status: 503, times: 0 });
		assert.equal((await ask(resort.url + "/test/faults")).faults.length, 1, "fault() armed nothing");
		assert.equal((await resort.faults()).length, 1, "faults() did not ask the instance");
		await resort.reset();
		assert.deepEqual((await ask(resort.url + "/test/faults")).faults, [], "reset() reset nothing");
		await resort.stop();
		await assert.rejects(ask(resort.url + "/api/health"), "stop() stopped nothing");
	} finally {
		globalThis.fetch = fetch;
	}
};
`;

interface Runner {
	readonly name: string;
	readonly packages: readonly string[];
	readonly files: Readonly<Record<string, string>>;
	readonly checks: readonly (readonly [tried: string, expected: string, command: readonly string[]])[];
}

const TRIED = "fault(), reset(), stop() with fake timers, stubbed fetch";
const EXPECTED = "each call settles and reaches the instance";

const JEST = `const { start, visit } = require("./visit.cjs");

test("a visit", async () => {
	const resort = await start();
	jest.useFakeTimers();
	try {
		await visit(resort);
	} finally {
		jest.useRealTimers();
	}
}, 10_000);
`;

const runners: readonly Runner[] = [
	...["node", "jsdom"].map((environment) => ({
		name: `jest-${environment}`,
		packages: ["jest@30.5.2", "jest-environment-jsdom@30.5.2"],
		files: { "visit.test.cjs": JEST },
		checks: [
			[TRIED, EXPECTED, ["jest", "--rootDir", ".", "--env", environment, "--testMatch", "**/*.test.cjs"]],
		] as const,
	})),
	{
		name: "mocha",
		packages: ["mocha@12.0.3", "sinon@22.1.0"],
		files: {
			"visit.test.cjs": `const sinon = require("sinon");
const { start, visit } = require("./visit.cjs");

it("a visit", async () => {
	const resort = await start();
	const clock = sinon.useFakeTimers({ toNotFake: ["nextTick"] });
	try {
		await visit(resort);
	} finally {
		clock.restore();
	}
});
`,
			"next-tick.test.cjs": `const assert = require("node:assert/strict");
const sinon = require("sinon");
const { start } = require("./visit.cjs");

it("a visit", async () => {
	const resort = await start();
	const clock = sinon.useFakeTimers();
	try {
		await assert.rejects(resort.fault({ operation: "getLobby", status: 503 }), /nextTick/);
		await resort.stop().catch(({ message }) => assert.match(message, /nextTick/));
	} finally {
		clock.restore();
	}
	await resort.stop();
});
`,
		},
		checks: [
			[TRIED, EXPECTED, ["mocha", "--timeout", "10000", "visit.test.cjs"]],
			// Sinon also replaces process.nextTick, without which Node sends nothing.
			[
				"fault(), stop() with all fake timers of Sinon",
				"each call settles, and says what to exclude",
				["mocha", "--timeout", "10000", "next-tick.test.cjs"],
			],
		],
	},
	{
		name: "node-test",
		packages: [],
		files: {
			"visit.test.mjs": `import { test } from "node:test";
import { start, visit } from "./visit.cjs";

test("a visit", { timeout: 10_000 }, async ({ mock }) => {
	const resort = await start();
	mock.timers.enable();
	await visit(resort);
});
`,
		},
		checks: [[TRIED, EXPECTED, ["node", "--test", "visit.test.mjs"]]],
	},
	{
		name: "vitest",
		packages: ["vitest@5.1.2"],
		files: {
			"visit.test.mjs": `import { test, vi } from "vitest";
import { start, visit } from "./visit.cjs";

test("a visit", async () => {
	const resort = await start();
	vi.useFakeTimers();
	try {
		await visit(resort);
	} finally {
		vi.useRealTimers();
	}
}, 10_000);
`,
		},
		checks: [[TRIED, EXPECTED, ["vitest", "run", "--root", "."]]],
	},
];

/** Test runners, with the module `agent-resort/testing` as it is packed. */
export const testRunners: readonly Peer[] = runners.map(({ name, packages, files, checks }) => ({
	name,
	packages,
	async run({ check, installModule, run, write }) {
		await installModule();
		write("visit.cjs", VISIT);
		for (const [file, content] of Object.entries(files)) write(file, content);
		for (const [tried, expected, command] of checks) {
			await check(tried, expected, async () => {
				await run(command);
			});
		}
	},
}));
