import { expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/documents.ts";
import { temporaryFolder } from "../../support/executable.ts";
import { runTool } from "../../support/tools.ts";

/** Uses everything, as a user's test would. */
const USER = `import { type ConnectedResort, connect, type CutConnections, type Fault, type Fixtures, type LogLine, type OperationId, type OperationName, type RecordedCall, type ResortState, type RunningResort, type StartOptions, startResort } from "./testing.mjs";

export async function check(): Promise<readonly (Fault | RecordedCall)[]> {
	const fixtures: Fixtures = { agents: [{ name: "Ada" }], stays: [{ agentId: "a", roomNumber: 7, checkedInAt: "-1h" }] };
	const options: StartOptions = { seed: 1, now: new Date(), frozen: true, maxStay: 0.5, rateLimits: false };
	const kept: RunningResort = await startResort({ ...options, fixtures: "house.json", executable: "resort" });
	await using resort = await startResort({ fixtures, webhooks: true, now: "2026-03-10T12:00:00Z" });
	const connected: ConnectedResort = await connect(resort.url);
	const names: OperationName[] = ["getLobby", "GET /api/agents/{id}/status", "showHome", "*"];
	for (const operation of names) await connected.fault({ operation, status: 502, body: "<p>", contentType: "text/html" });
	await connected.forgetEvents();
	const cut: CutConnections = await resort.cutStreams();
	const line: LogLine | undefined = resort.logs()[cut.streams + cut.calls];
	const route: unknown = line?.["route"] ?? line?.level;
	const operation: OperationId | null | undefined = (await resort.calls())[0]?.operation;
	const key: string | undefined = Object.values(resort.keys)[0];
	await Promise.all([kept.stop(), resort.reset(), resort.advance(60), resort.freeze(), resort.thaw()]);
	await Promise.all([resort.setTime(new Date()), resort.setTime("2030-01-01T00:00:00Z")]);
	const { now, frozen, agents, guests }: ResortState = await resort.state();
	const told: [string, boolean, number] = [now, frozen, agents + guests];
	const armed: readonly Fault[] = await resort.faults();
	const status: number | null | undefined = armed[0]?.status;
	await Promise.all([resort.clearFaults(), resort.clearCalls(), resort.fault({ operation: "getLobby", drop: true })]);
	const more = { retryAfterSeconds: 1, delayMs: 10, times: 0, ids: [key ?? resort.url] };
	const fault = await resort.fault({ operation: "getAgentStatus", status: 503, error: "Full", ...more });
	const all: readonly RecordedCall[] = await resort.calls();
	const some = await resort.calls({ operation: "getLobby", agentId: "a" });
	const left: number | null = fault.left;
	return left === null || status === left ? [fault] : [...all, ...some].slice(told.length + (operation === route ? 1 : 0));
}
`;

const WRONG = `import { startResort } from "./testing.mjs";
const resort = await startResort({ frozen: "yes" });
await startResort({ maxstay: 1 });
await resort.advance("1");
await resort.fault({ status: 500 });
await resort.fault({ operation: "getLobby", drop: false });
await resort.fault({ operation: "getLoby", status: 500 });
await resort.fault({ operation: "GET /api/loby", status: 500 });
await startResort({ fixtures: { agents: [{ nam: "Ada" }] } });
await resort.calls({ operation: "getlobby" });
resort.url = "";
`;

/** Checks a file strictly against the built types, with nothing of Node's or Bun's. */
async function check(text: string, extension: string) {
	using folder = temporaryFolder();
	for (const name of ["testing.mjs", "testing.d.ts", "testing.d.cts"]) {
		const as = name.replace(".d.ts", ".d.mts");
		copyFileSync(join(root, "dist", name), join(folder.path, as));
	}
	const file = join(folder.path, `user.${extension}`);
	await Bun.write(file, text);
	return await runTool("node", [
		join(root, "node_modules/typescript/bin/tsc"),
		...["--ignoreConfig", "--noEmit", "--strict", "--types", ""],
		...["--exactOptionalPropertyTypes", "--skipLibCheck", "false"],
		...["--target", "es2022", "--module", "nodenext", file],
	]);
}

test.each([
	["mts", "testing.mjs"],
	["cts", "testing.cjs"],
])(
	"the types alone are enough for a strict program (.%s)",
	async (extension, module) => {
		const text = USER.replace("testing.mjs", module);
		expect(await check(text, extension)).toEqual({ exitCode: 0, output: "" });
	},
);

test("the types refuse what the module refuses", async () => {
	const { output } = await check(WRONG, "mts");
	const lines = [...output.matchAll(/user\.mts\((\d+),/g)].map(([, at]) => at);
	expect(lines).toEqual([..."23456789", "10", "11"]);
});
