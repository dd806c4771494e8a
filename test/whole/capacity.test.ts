import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from "node:fs";
import { CapacityWatch } from "../../src/core/server/capacity.ts";
import { useHouse } from "../features/identity-provider/house.ts";
import { toolsOf } from "../features/mcp/support/tools.ts";
import { prepareMetrics } from "../features/metrics/exposition.ts";
import { toLoopback } from "../features/webhooks/receiver.ts";
import { expectFailure } from "../support/answers.ts";
import { onPostgres } from "../support/engine.ts";
import { useFreshFolder } from "../support/folder.ts";
import { type LogLine, memoryLog } from "../support/log.ts";
import { mounts, testSqlite } from "../support/requirements.ts";
import type { TestResort } from "../support/resort.ts";
import { toolPath } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { useResort } from "../support/use-resort.ts";
import { mounting } from "../support/user.ts";
import { fogBathing } from "../support/values.ts";

const HOUR_SECONDS = "3600";

/** A maximum size that is larger than a new database, whether on SQLite or on PostgreSQL. */
const setup = { maxDatabase: 16_000_000, webhooks: toLoopback };

/** Adds rows to a separate table until the database is larger than the maximum. */
async function fill(resort: TestResort): Promise<void> {
	const numbers = onPostgres ? "generate_series(1, 60000)" : "zeroblob(4000000)";
	await resort.rows(`CREATE TABLE ballast (n ${onPostgres ? "int" : "blob"})`);
	while (resort.capacity.full === null) {
		await resort.rows(`INSERT INTO ballast SELECT ${numbers}`);
		await resort.capacity.check();
	}
}

async function empty(resort: TestResort): Promise<void> {
	await resort.rows("DROP TABLE ballast");
	await resort.capacity.check();
}

describe("a resort with `--max-database`", () => {
	const resort = useResort(setup);

	test("refuses calls that add rows, and no others, with 503 while it is full", async () => {
		const guest = await resort.guest();
		const { id } = await resort.create(guest);
		await resort.complete(guest, id);
		const url = "http://127.0.0.1:9/";
		const adding: [path: string, body: object][] = [
			["/api/agents", { name: "Ada" }],
			["/api/checkin", {}],
			["/api/activities/tidepool-float/do", {}],
			["/api/experiences", fogBathing],
			[`/api/experiences/${id}/do`, {}],
			[`/api/experiences/${id}/vote`, { rating: 5 }],
			["/api/postcards", { message: "Wish you idle" }],
			["/api/webhooks", { url }],
			["/api/me/blocked", { agentId: (await resort.register()).id }],
		];
		const post = (path: string, body: object) => resort.call("POST", path, { key: guest.key, body });
		await resort.capacity.check();
		expect(resort.capacity.full).toBeNull();
		await fill(resort);
		const before = await resort.dump();
		for (const [path, body] of adding) {
			const answer = await post(path, body);
			expectFailure(answer, 503, path);
			expect(answer.body.error, path).toBe("The resort is full");
			expect(answer.headers.get("retry-after")).toBe(HOUR_SECONDS);
		}
		const tool = await toolsOf(resort, { key: guest.key })("send_postcard", { message: "Wish you idle" });
		expect(tool).toMatchObject({
			isError: true,
			body: { error: "The resort is full", retryAfterSeconds: 3600 },
		});
		expect(await resort.dump()).toBe(before);
		// The full resort still checks bodies and credentials first, and accepts calls that add no row.
		expectFailure(await post("/api/postcards", { message: "" }), 400);
		expectFailure(await resort.call("POST", "/api/checkin"), 401);
		expect((await post("/api/agents", {})).status).toBe(200);
		const going: [method: string, path: string, body?: object][] = [
			["GET", "/api/me/overview"],
			["GET", "/api/events"],
			["PATCH", "/api/me", { bio: "Full of rest." }],
			["DELETE", `/api/experiences/${id}`],
			["POST", "/api/checkout"],
			["POST", "/api/me/api-key"],
		];
		let { key } = guest;
		for (const [method, path, body] of going) {
			const answer = await resort.call(method, path, { key, ...(body && { body }) });
			expect(answer.status, `${method} ${path}: ${answer.text}`).toBeOneOf([200, 201]);
			key = answer.body.apiKey ?? key;
		}
		await resort.byHost(`/agents/${guest.id}/rename`, { name: "Grace" });
		await empty(resort);
		expect((await post("/api/agents", { name: "Ada" })).status).toBe(201);
		expect((await resort.call("POST", "/api/checkin", { key })).status).toBe(201);
		expect((await resort.call("DELETE", "/api/me", { key })).status).toBe(200);
		const lines = resort.log.filter(({ message }) => /full|room/.test(message));
		expect(lines).toMatchObject([
			{ level: "error", message: "resort full" },
			{ level: "warning", message: "resort has room again" },
		]);
	});

	test("is full once the database has this size, until more than 0.1 % of it is free", async () => {
		const max = 24_000_000;
		const log: LogLine[] = [];
		let usedBytes: number | null = 0;
		const store = {
			isShared: false,
			measureSpace() {
				if (usedBytes === null) throw new Error("no answer");
				return { usedBytes, fileSystem: null };
			},
		};
		const capacity = new CapacityWatch(store, max, memoryLog(log));
		const sizes = [max - 1, max, null, max - 24_000, max - 24_001, max + 1];
		const states = [];
		for (usedBytes of sizes) {
			await capacity.check();
			states.push([capacity.full !== null, capacity.leftBytes]);
		}
		expect(states).toEqual([
			[false, 1],
			[true, 0],
			[true, 0],
			[true, 24_000],
			[false, 24_001],
			[true, 0],
		]);
		expect(log).toHaveLength(3);
		usedBytes = 1;
		for (const [bytes, left] of [[0, null] as const, [1, 0] as const]) {
			const shared = { ...store, isShared: true };
			const watch = new CapacityWatch(shared, bytes, memoryLog(log));
			await watch.start();
			watch.stop();
			expect(watch.leftBytes).toBe(left);
		}
	});
});

describe("a full resort behind an identity provider", () => {
	const house = useHouse(setup);

	test("refuses new agents with 503, but serves existing ones", async () => {
		const me = (subject: string) => house.resort.call("GET", "/api/me", { key: `ai_${subject}_000000001` });
		expect((await me("coral")).status).toBe(200);
		await fill(house.resort);
		expect((await me("coral")).status).toBe(200);
		const refused = await me("pearl");
		expectFailure(refused, 503);
		expect(refused.body.error).toBe("The resort is full");
		await empty(house.resort);
		expect((await me("pearl")).status).toBe(200);
	});
});

describe("a resort on a small disk", () => {
	const folder = useFreshFolder();
	const MIB = 2 ** 20;

	test.skipIf(mounts.isMissing || testSqlite.isMissing)(
		`leaves a reserve free, keeps all acknowledged rows, and accepts new ones once there is space again${mounts.note}${testSqlite.note}`,
		async () => {
			mkdirSync(folder.file("disk"));
			const metrics = await prepareMetrics();
			const flags = ["--port", "0", "--database", "disk/resort.sqlite"];
			const resort = await folder.serve([...flags, "--rate-limits", "off", ...metrics.flags], {
				before: mounting("mount -t tmpfs -o size=64m none disk"),
			});
			const metric = async (name: string) => (await metrics.scrape()).get(name);
			const disk = `/proc/${resort.pid}/root${folder.file("disk")}`;
			const acknowledged: string[] = [];
			const register = async () => {
				const { status, body } = await resort.call("POST", "/api/agents", { body: { name: "Ada" } });
				if (status === 201) acknowledged.push(body.agent.id);
				return { status, body };
			};
			const { apiKey } = (await register()).body;
			expect((await resort.call("POST", "/api/checkin", { key: apiKey })).status).toBe(201);
			// The resort reserves 5 % of this disk of 64 MiB. The file leaves only 3 MiB free, which is less.
			const ballast = `${disk}/ballast`;
			const { bavail, bsize } = statfsSync(disk);
			writeFileSync(ballast, Buffer.alloc(bavail * bsize - 3 * MIB));
			await until(async () => (await register()).status === 503);
			expect(await metric("resort_full")).toBe(1);
			expect(await metric("resort_space_left_bytes")).toBe(0);
			expect((await register()).body.error).toBe("The resort is full");
			expect((await resort.call("POST", "/api/checkout", { key: apiKey })).status).toBe(200);
			const database = folder.file("disk/resort.sqlite");
			const nsenter = toolPath("nsenter") ?? "nsenter";
			const flagsOf = `-t ${resort.pid} -U -m --preserve-credentials`;
			const place = { before: [nsenter, ...flagsOf.split(" ")] };
			const [id = ""] = acknowledged;
			const renamed = await folder.run(["admin", "rename", id, "Grace", "--database", database], place);
			expect(renamed.exitCode, renamed.stderr).toBe(0);
			const { checks } = await folder.doctor(["--database", database], place);
			expect(checks["free disk"]).toMatch(/the reserve is 3\.1 MiB|writes fail/);
			truncateSync(ballast, 0);
			await until(async () => (await register()).status === 201);
			expect(await metric("resort_full")).toBe(0);
			expect(await metric("resort_space_left_bytes")).toBeGreaterThan(MIB);
			const { body } = await resort.call("GET", `/api/agents/${id}`);
			expect(body.agent.name).toBe("Grace");
			for (const agent of acknowledged) {
				expect((await resort.call("GET", `/api/agents/${agent}`)).status).toBe(200);
			}
			rmSync(ballast);
			const { stderr } = await resort.stop();
			expect(stderr.match(/"resort full"/g)).toHaveLength(1);
			expect(stderr.match(/"resort has room again"/g)).toHaveLength(1);
		},
	);
});
