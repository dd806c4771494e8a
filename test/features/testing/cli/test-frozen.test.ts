import { beforeEach, describe, expect, test } from "bun:test";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { useServer } from "../../../support/use-resort.ts";
import { prepareMetrics } from "../../metrics/exposition.ts";
import { keyOf } from "../fixtures.ts";

const NOW = "2026-03-10T12:00:00.000Z";
const ada = "00000000-0000-7000-8000-00000000000a";
const key = keyOf("a");
const folder = useTemporaryFolder();
const metrics = await prepareMetrics();
const fixtures = {
	agents: [{ id: ada, name: "Ada", apiKey: key, createdAt: "-2d" }],
	stays: [{ agentId: ada, checkedInAt: "-59m" }],
	postcards: [{ senderId: ada, message: "Hello", createdAt: "0s" }],
};
folder.write(JSON.stringify(fixtures), "house.json");
const controls = ["--test-controls", "--now", NOW, "--frozen"];
const settings = ["--fixtures", "house.json", "--max-stay", "1"];
const resort = useServer(["--ephemeral", ...controls, ...settings, ...metrics.flags], { cwd: folder.path });
beforeEach(() => resort.send("POST", "/test/reset"));
const untilOneWaits = () => metrics.untilReaders("0,1");
const state = () => resort.send("GET", "/test/state");
const get = (path: string) => resort.send("GET", path, { key });
const post = (path: string, body?: object) => resort.send("POST", path, { key, body });

describe("a resort with --now and --frozen", () => {
	test("stops its clock at the time of --now, to which relative times in fixtures refer", async () => {
		expect(await state()).toMatchObject({ now: NOW, frozen: true, guests: 1 });
		await Bun.sleep(30);
		expect((await state()).now).toBe(NOW);
		expect((await get("/api/stays/current")).stay.checkedInAt).toBe("2026-03-10T11:01:00.000Z");
		expect((await get("/api/me")).agent.createdAt).toBe("2026-03-08T12:00:00.000Z");
		expect((await get("/api/postcards")).postcards[0]?.createdAt).toBe(NOW);
	});

	test("records a waiting call with the time at which the call arrived", async () => {
		const waiting = get(`/api/agents/${ada}/status?until=available&wait=10`);
		await untilOneWaits();
		await post("/test/clock", { advanceSeconds: 7_200 });
		expect((await waiting).status).toBe("available");
		const { calls } = await get("/test/calls?operation=getAgentStatus");
		expect(calls).toMatchObject([{ at: NOW }]);
	});

	test("ends a stay when the clock is moved to the end of the stay, and not before", async () => {
		await post("/test/clock", { now: "2026-03-10T12:00:59.999Z" });
		const { cursor } = await get("/api/events?limit=1");
		await Bun.sleep(100);
		const status = () => get(`/api/agents/${ada}/status`);
		expect((await status()).status).toBe("relaxing");
		const waiting = get(`/api/events?since=${cursor}&wait=5`);
		await post("/test/clock", { now: "2026-03-10T12:01:00.000Z" });
		expect((await waiting).events).toMatchObject([{ type: "agent.available", reason: "max_stay" }]);
		expect((await status()).status).toBe("available");
	});

	test("ends a stay after the clock was thawed, and freezes the clock again at a reset", async () => {
		await post("/test/clock", { now: "2026-03-10T12:00:59.900Z" });
		const waiting = get(`/api/agents/${ada}/status?until=available&wait=30`);
		await untilOneWaits();
		await post("/test/clock", { frozen: false });
		const startedAt = performance.now();
		expect((await waiting).status).toBe("available");
		expect(performance.now() - startedAt).toBeLessThan(15_000);
		expect(await state()).toMatchObject({ frozen: false, guests: 0 });
		expect(await post("/test/reset")).toMatchObject({ now: NOW, frozen: true, guests: 1 });
	});

	test("lets a waiting call wait in real time", async () => {
		const startedAt = performance.now();
		expect((await get(`/api/agents/${ada}/status?until=available&wait=1`)).status).toBe("relaxing");
		expect(performance.now() - startedAt).toBeGreaterThan(950);
	});
});

test("resort test accepts --now, --frozen, --log-level and --log-format", async () => {
	const flags = [...controls, "--log-level", "info", "--log-format", "text"];
	const command = ["test", ...flags, "--", "sh", "-c", 'curl -fsS "$RESORT_URL/test/state"'];
	const env = { PATH: process.env.PATH ?? "" };
	const { stdout, stderr } = await folder.run(command, { env });
	expect(JSON.parse(stdout)).toMatchObject({ now: NOW, frozen: true });
	expect(stderr).toMatch(/INFO request GET \/test\/state 200/);
});
