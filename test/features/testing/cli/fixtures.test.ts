import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { until } from "../../../support/until.ts";
import { visit } from "../../../support/visit.ts";
import { crowd, house, ids, keyOf } from "../fixtures.ts";

const folder = useTemporaryFolder();

const env = { PATH: process.env.PATH ?? "" };

const write = (content: object) => folder.write(JSON.stringify(content), "fixtures.json");

describe("`--fixtures`", () => {
	test("makes an instance serve the data of the file, with correct counters", async () => {
		const clock = ["--now", "2026-03-10T12:00:00Z", "--frozen", "--seed", "1"];
		const resort = await folder.serve(["--ephemeral", "--fixtures", write(house()), ...clock]);
		const ofBob = [`/api/experiences/${ids.walk}`, `/api/agents/${ids.bob}/status`];
		const postcards = ["/api/postcards/inbox", "/api/postcards"];
		for (const path of ["/api/me", "/api/stays/current", "/api/stats", ...ofBob, ...postcards]) {
			// To record the snapshot again, add --update-snapshots.
			expect(await resort.send("GET", path, { key: keyOf("a") })).toMatchSnapshot(path);
		}
		expect((await resort.stop()).exitCode).toBe(0);
	});

	test.each(["flag", "variable"])(
		"set by a %s, makes `resort test` pass the agents' keys to its command",
		async (by) => {
			const file = write(house());
			const script = `curl -sf -H "Authorization: Bearer $(echo "$RESORT_AGENT_KEYS" | sed 's/.*${ids.bob}":"\\([^"]*\\).*/\\1/')" "$RESORT_URL/api/me"; echo; echo "$RESORT_AGENT_KEYS"`;
			const [flags, more] = by === "flag" ? [["--fixtures", file], {}] : [[], { RESORT_FIXTURES: file }];
			const args = ["test", ...flags, "--", "sh", "-c", script];
			const [me = "", keys = ""] = (await folder.succeed(args, { env: { ...env, ...more } })).split("\n");
			expect(JSON.parse(me).agent.id).toBe(ids.bob);
			expect(Object.entries(JSON.parse(keys))).toEqual([
				[ids.ada, keyOf("a")],
				[ids.bob, expect.any(String)],
			]);
		},
	);

	test("makes `resort test` pass the agents' keys in a file, and up to 1,224 keys also in an environment variable", async () => {
		const script =
			'printf "%s\\n" "$RESORT_AGENT_KEYS_FILE" "$RESORT_AGENT_KEYS"; stat -c %a "$RESORT_AGENT_KEYS_FILE"; cat "$RESORT_AGENT_KEYS_FILE"';
		const place = { env: { ...env, TMPDIR: folder.path } };
		for (const agents of [1224, 1225, 2000]) {
			const fixtures = write({ agents: crowd(agents) });
			const stdout = await folder.succeed(["test", "--fixtures", fixtures, "--", "sh", "-c", script], place);
			const [file = "", variable, mode, keys = ""] = stdout.split("\n");
			expect(Object.keys(JSON.parse(keys))).toHaveLength(agents);
			expect({ variable, mode }).toEqual({ variable: agents === 1224 ? keys : "", mode: "600" });
			// `resort test` deletes the file with the keys when it ends.
			expect(existsSync(file)).toBe(false);
		}
	});

	test("makes `resort test` exit with 1 if the file for the keys cannot be written", async () => {
		const args = ["test", "--fixtures", write({ agents: crowd(1) }), "--", "true"];
		const reason = /cannot write \/nowhere\/resort-keys-.*\.json \(ENOENT\): set TMPDIR/;
		await folder.refuse(args, reason, 1, { env: { ...env, TMPDIR: "/nowhere" } });
	});

	test("generates the ids that the file omits, and repeats them with the same seed and after a reset", async () => {
		const agents = [{ name: "Ada" }, { id: ids.bob, name: "Bob" }];
		const file = write({ agents });
		const script = `curl -fsS -X POST "$RESORT_URL/test/reset" >/dev/null; ada=$(echo "$RESORT_AGENT_KEYS" | cut -d '"' -f 2)
curl -fsS "$RESORT_URL/api/agents/$ada/status" >/dev/null && printf %s "$RESORT_AGENT_KEYS"`;
		const flags = ["--test-controls", "--seed", "3", "--fixtures", file];
		const keys = async () => (await folder.run(["test", ...flags, "--", "sh", "-c", script], { env })).stdout;
		const first = await keys();
		expect(Object.keys(JSON.parse(first))).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), ids.bob]);
		expect(await keys()).toBe(first);
	});

	test("counts a vote in the open stay of the voter, or in the voter's newest stay if none is open", async () => {
		const day = (date: number) => ({
			checkedInAt: `2026-01-0${date}T10:00:00.000Z`,
			checkedOutAt: `2026-01-0${date}T12:00:00.000Z`,
		});
		const stays = [
			...[2, 4, 3].map((date) => ({ agentId: ids.bob, ...day(date) })),
			{ agentId: ids.ada, checkedInAt: "2026-01-03T10:00:00.000Z" },
			{ agentId: ids.ada, ...day(5) },
		];
		const content = { ...house(), stays, postcards: [] };
		await using resort = await folder.serve(["--ephemeral", "--fixtures", write(content)]);
		const bob = await resort.send("GET", `/api/agents/${ids.bob}/status`);
		expect(bob.lastStay).toEqual({
			checkedOutAt: "2026-01-04T12:00:00.000Z",
			totalRelaxationPoints: 3,
			refreshedStatus: expect.any(String),
		});
		const ada = await resort.send("GET", `/api/agents/${ids.ada}/status`);
		expect(ada.stay.relaxationPoints).toBe(3);
	});
});

const { agents, experiences } = house();
const flagsFor = (content: object) => ["--ephemeral", "--test-controls", "--fixtures", write(content)];

describe("POST /test/reset", () => {
	test("with `--seed` and `--fixtures` set, repeats the random values, even during a registration", async () => {
		const clock = ["--now", "2026-03-10T12:00:00Z", "--frozen"];
		await using resort = await folder.serve([...flagsFor(house()), "--seed", "7", ...clock]);
		const first = await visit(resort.url);
		const log = () => resort.send("GET", "/api/activities/log", { key: keyOf("a") });
		const logged = JSON.stringify(await log());
		for (let again = 0; again < 2; again++) {
			await Promise.all([resort.register(), resort.send("POST", "/test/reset")]);
			await resort.send("POST", "/test/reset");
			expect(await visit(resort.url)).toEqual(first);
			expect(JSON.stringify(await log())).toBe(logged);
		}
	});

	test("computes omitted and relative times of the fixtures anew, but keeps random values such as ids", async () => {
		const flags = flagsFor({
			agents,
			stays: [{ agentId: ids.ada, checkedInAt: "-30m" }],
			experiences: experiences.map(({ createdAt, ...walk }) => walk),
		});
		// 0.5006 hours are 30 minutes and 2 seconds. When the resort starts, the stay has lasted 30 minutes, so
		// it ends 2 seconds later. After the reset below, it has again lasted 30 minutes.
		await using resort = await folder.serve([...flags, "--max-stay", "0.5006"]);
		const told = async () => ({
			status: await resort.send("GET", `/api/agents/${ids.ada}/status`),
			experience: (await resort.send("GET", "/api/experiences")).experiences[0],
		});
		const before = await told();
		await until(async () => (await told()).status.status === "available");
		const { now } = await resort.send("POST", "/test/reset");
		const after = await told();
		expect(after.status.status).toBe("relaxing");
		expect(after.status.stay.roomName).toBe(before.status.stay.roomName);
		expect(after.experience?.id).toBe(before.experience?.id as string);
		const movedMs = (a: string, b: string) => Date.parse(b) - Date.parse(a);
		const { checkedInAt } = after.status.stay;
		expect(movedMs(before.status.stay.checkedInAt, checkedInAt)).toBeGreaterThan(1_000);
		expect(movedMs(checkedInAt, now) - 1_800_000).toBeLessThan(4_000);
	});

	test("returns 400 and changes nothing if a relative time in the fixtures has moved past an absolute one", async () => {
		const closedAt = new Date(Date.now() - 60_000).toISOString();
		const flags = flagsFor({
			agents,
			stays: [{ agentId: ids.ada, checkedInAt: "-62s", checkedOutAt: closedAt }],
		});
		await using resort = await folder.serve(flags);
		await resort.register();
		await Bun.sleep(2_100);
		const reset = await resort.call("POST", "/test/reset");
		expect(reset.status).toBe(400);
		expect(reset.text).toContain("stays[0].checkedOutAt must not be before checkedInAt");
		expect(await resort.send("GET", "/test/state")).toMatchObject({ agents: 3 });
	});
});

test("two instances without `--seed` create different ids, keys and sessions", async () => {
	const drawn = await Promise.all(
		["one", "other"].map(async () => {
			await using resort = await folder.serve(["--ephemeral"]);
			return await visit(resort.url);
		}),
	);
	for (const part of ["agent", "apiKey", "stay", "cookie"] as const) {
		expect(new Set(drawn.map((one) => one[part])).size).toBe(drawn.length);
	}
});
