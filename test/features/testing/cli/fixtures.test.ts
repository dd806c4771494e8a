import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { systemRandom } from "../../../../src/core/lib/random.ts";
import { StartError } from "../../../../src/core/lib/start-error.ts";
import { readFixtures } from "../../../../src/features/testing/fixtures/read-fixtures.ts";
import { seededRandom } from "../../../../src/features/testing/seeded-random.ts";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { thrownBy, utf16 } from "../../../support/values.ts";
import { house, ids, keyOf } from "../fixtures.ts";

const folder = useTemporaryFolder();

const env = { PATH: process.env.PATH ?? "" };
let files = 0;

function write(content: unknown): string {
	const isText = typeof content === "string" || content instanceof Uint8Array;
	return folder.write(isText ? content : JSON.stringify(content), `fixtures-${files++}.json`);
}

function crowd(count: number) {
	return Array.from({ length: count }, (_, at) => ({
		id: `00000000-0000-7000-8000-${String(at).padStart(12, "0")}`,
		name: `Guest ${at}`,
	}));
}

describe("--fixtures", () => {
	test("serves the data of the file with correct counters", async () => {
		const clock = ["--now", "2026-03-10T12:00:00Z", "--frozen", "--seed", "1"];
		const resort = await folder.serve(["--ephemeral", "--fixtures", write(house()), ...clock]);
		for (const path of [
			"/api/me",
			"/api/stays/current",
			"/api/stats",
			`/api/experiences/${ids.walk}`,
			`/api/agents/${ids.bob}/status`,
			"/api/postcards/inbox",
			"/api/postcards",
		]) {
			const answer = await resort.send("GET", path, { key: keyOf("a") });
			// To record it again, add --update-snapshots.
			expect(answer).toMatchSnapshot(path);
		}
		expect((await resort.stop()).exitCode).toBe(0);
	});

	test.each(["flag", "variable"])("resort test passes the keys to the command (set by %s)", async (by) => {
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
	});

	test("resort test passes keys in a file, and at most 1224 also in a variable", async () => {
		const script =
			'printf "%s\\n" "$RESORT_AGENT_KEYS_FILE" "$RESORT_AGENT_KEYS"; stat -c %a "$RESORT_AGENT_KEYS_FILE"; cat "$RESORT_AGENT_KEYS_FILE"';
		for (const [agents, isSmall] of [
			[1224, true],
			[1225, false],
			[2000, false],
		] as const) {
			const fixtures = write({ agents: crowd(agents) });
			const stdout = await folder.succeed(["test", "--fixtures", fixtures, "--", "sh", "-c", script], {
				env: { ...env, TMPDIR: folder.path },
			});
			const [file = "", variable, mode, keys = ""] = stdout.split("\n");
			expect(Object.keys(JSON.parse(keys))).toHaveLength(agents);
			expect({ variable, mode }).toEqual({ variable: isSmall ? keys : "", mode: "600" });
			// The file is deleted when the program ends.
			expect(existsSync(file)).toBe(false);
		}
	});

	test("resort test exits with 1 if it cannot write the file of keys", async () => {
		const args = ["test", "--fixtures", write({ agents: crowd(1) }), "--", "true"];
		const reason = /cannot write \/nowhere\/resort-keys-.*\.json \(ENOENT\): set TMPDIR/;
		await folder.refuse(args, reason, 1, { env: { ...env, TMPDIR: "/nowhere" } });
	});

	test("creates omitted ids, the same with the same seed and after a reset", async () => {
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

	test("counts a vote in the open stay of its agent, else in the newest stay", async () => {
		const day = (date: number) => ({
			checkedInAt: `2026-01-0${date}T10:00:00.000Z`,
			checkedOutAt: `2026-01-0${date}T12:00:00.000Z`,
		});
		const [adas, bobs] = [{ agentId: ids.ada }, { agentId: ids.bob }];
		const content = {
			...house(),
			stays: [
				...[2, 4, 3].map((date) => ({ ...bobs, ...day(date) })),
				{ ...adas, checkedInAt: "2026-01-03T10:00:00.000Z" },
				{ ...adas, ...day(5) },
			],
			postcards: [],
		};
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

	const rowsAt = (nowMs: number, content: object) => readFixtures(write(content), seededRandom(1))(nowMs);

	test("skips a byte order mark", () => {
		const text = `\ufeff${JSON.stringify({ agents: crowd(1) })}`;
		expect(readFixtures(write(text), seededRandom(1))(0).agents).toHaveLength(1);
	});

	test("gives a stay without a room a number that no other open stay has", () => {
		const guests = crowd(100).map(({ id }) => ({ agentId: id, roomType: "Owl Hollow" }));
		const numbered = guests.map((guest, at) => ({ ...guest, roomNumber: at }));
		const [other] = guests;
		const left = { ...numbered[1], checkedInAt: "-1h", checkedOutAt: "-1h" };
		const { stays } = rowsAt(Date.now(), { agents: crowd(100), stays: [other, ...numbered.slice(2), left] });
		const rooms = stays.map(({ roomNumber }) => roomNumber);
		expect(rooms).toEqual([1, ...Array.from({ length: 98 }, (_, at) => at + 2), 1]);
	});

	test("keeps moods, reviews and times of the file, also at their bounds", () => {
		const nowMs = Date.UTC(2026, 0, 3);
		const content = house();
		const [adas, bobs] = content.stays;
		const [began, ended] = [bobs?.checkedInAt, bobs?.checkedOutAt];
		const card = { senderId: ids.bob, message: "Hello" };
		const rows = (votes: object[]) =>
			rowsAt(nowMs, {
				...content,
				agents: [
					{ ...content.agents[0], createdAt: "1970-01-01T00:00:00Z" },
					{ ...content.agents[1], createdAt: "2026-01-03T00:00:00Z" },
				],
				stays: [{ ...adas, moodOnArrival: "busy", checkedInAt: "-1h", maxMinutes: 90 }, bobs],
				votes,
				postcards: [
					{ ...card, createdAt: began, mood: "calm", location: "Pond" },
					{ ...card, createdAt: ended },
				],
			});
		for (const votes of [content.votes, content.votes.toReversed()]) {
			const { stays, postcards, ...made } = rows(votes);
			// To record it again, add --update-snapshots.
			expect({
				stays,
				postcards,
				registrations: made.agents.map(({ createdAt }) => createdAt),
				votes: made.votes.map(({ row }) => row),
			}).toMatchSnapshot();
		}
	});

	const { agents, stays, experiences, votes, postcards } = house();
	const [ada, bob] = agents;
	const [open, closed] = stays;
	const unknown = "00000000-0000-7000-8000-0000000000ff";
	const brokenKey = `${keyOf("a").slice(0, -1)}x`;
	const early = { checkedInAt: "2026-01-03T00:00:00Z" };
	const late = { createdAt: "2026-01-05T00:00:00Z" };
	const inList = (name: string, given: object, lists: readonly unknown[][]) =>
		lists.map((list) => ({ ...given, [name]: list }));
	const wrong: readonly unknown[] = [
		'{\n\t"agents": [\n\t\t{"name": "Ada"},\n\t]\n}',
		utf16("{}"),
		...inList("agents", {}, [
			[ada, { nmae: "Bob" }],
			[{ name: "B" }, { ...bob, moood: "calm" }],
		]),
		{ agnets: [] },
		"{",
		[],
		{ guests: [] },
		{ "a\nb": [] },
		{ agents: {} },
		...inList("agents", {}, [
			[ada, 3],
			[{ bio: "calm" }],
			[bob, bob],
			[ada, { ...bob, apiKey: keyOf("a") }],
			...[
				{ id: "1" },
				{ name: "B" },
				{ bio: "x".repeat(501) },
				{ nmae: "A" },
				{ apiKey: brokenKey },
				{ createdAt: "2026-02-30T00:00:00Z" },
				...["+1d", "-1h-1m", "-99999d"].map((createdAt) => ({ createdAt })),
			].map((fields) => [{ ...bob, ...fields }]),
		]),
		{ stays: [open] },
		...inList("stays", { agents }, [
			[{ ...open, roomType: "Cellar" }],
			[{ ...open, roomNumber: 0 }],
			[{ ...open, roomNumber: 100 }],
			[open, { ...open, agentId: ids.bob }],
			[open, { agentId: ids.ada }],
			[{ ...closed, ...early }],
			[{ ...closed, checkedInAt: null }],
		]),
		{ experiences },
		{ agents, votes },
		{ agents, experiences, votes },
		...inList("votes", house(), [[votes[0], votes[0]]]),
		{ agents, postcards },
		...inList("postcards", house(), [
			[{ ...postcards[1], recipientId: unknown }],
			[{ ...postcards[1], ...late }],
		]),
	];

	test("refuses an invalid file with exit code 2 and the place of the error", () => {
		const nowMs = Date.UTC(2026, 2, 10);
		const told = wrong.map((content) => {
			const file = write(content);
			const fault = thrownBy(() => readFixtures(file, systemRandom)(nowMs));
			expect(fault).toBeInstanceOf(StartError);
			expect(fault).toMatchObject({ exitCode: 2 });
			const { withHint } = fault as StartError;
			expect(withHint).not.toContain("\n");
			return withHint.replace(file, "FILE");
		});
		// To record it again, add --update-snapshots.
		expect(told).toMatchSnapshot();
	});
});
