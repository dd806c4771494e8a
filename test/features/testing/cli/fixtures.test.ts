import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { crowd, house, ids, keyOf } from "../fixtures.ts";

const folder = useTemporaryFolder();

const env = { PATH: process.env.PATH ?? "" };

const write = (content: object) => folder.write(JSON.stringify(content), "fixtures.json");

describe("--fixtures", () => {
	test("serves the data of the file with correct counters", async () => {
		const clock = ["--now", "2026-03-10T12:00:00Z", "--frozen", "--seed", "1"];
		const resort = await folder.serve(["--ephemeral", "--fixtures", write(house()), ...clock]);
		const ofBob = [`/api/experiences/${ids.walk}`, `/api/agents/${ids.bob}/status`];
		const postcards = ["/api/postcards/inbox", "/api/postcards"];
		for (const path of ["/api/me", "/api/stays/current", "/api/stats", ...ofBob, ...postcards]) {
			// To record it again, add --update-snapshots.
			expect(await resort.send("GET", path, { key: keyOf("a") })).toMatchSnapshot(path);
		}
		expect((await resort.stop()).exitCode).toBe(0);
	});

	test.each(["flag", "variable"])(
		"resort test passes the keys of agents to its command if a %s names the file",
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

	test("resort test passes the keys in a file, and up to 1224 keys also in an environment variable", async () => {
		const script =
			'printf "%s\\n" "$RESORT_AGENT_KEYS_FILE" "$RESORT_AGENT_KEYS"; stat -c %a "$RESORT_AGENT_KEYS_FILE"; cat "$RESORT_AGENT_KEYS_FILE"';
		const place = { env: { ...env, TMPDIR: folder.path } };
		for (const agents of [1224, 1225, 2000]) {
			const fixtures = write({ agents: crowd(agents) });
			const stdout = await folder.succeed(["test", "--fixtures", fixtures, "--", "sh", "-c", script], place);
			const [file = "", variable, mode, keys = ""] = stdout.split("\n");
			expect(Object.keys(JSON.parse(keys))).toHaveLength(agents);
			expect({ variable, mode }).toEqual({ variable: agents === 1224 ? keys : "", mode: "600" });
			// `resort test` has deleted the file with the keys at its end.
			expect(existsSync(file)).toBe(false);
		}
	});

	test("resort test exits with 1 if it cannot write the file for the keys", async () => {
		const args = ["test", "--fixtures", write({ agents: crowd(1) }), "--", "true"];
		const reason = /cannot write \/nowhere\/resort-keys-.*\.json \(ENOENT\): set TMPDIR/;
		await folder.refuse(args, reason, 1, { env: { ...env, TMPDIR: "/nowhere" } });
	});

	test("creates omitted ids, which are the same with the same seed and after a reset", async () => {
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

	test("counts a vote in the open stay of the voter, or in the newest stay if none is open", async () => {
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
