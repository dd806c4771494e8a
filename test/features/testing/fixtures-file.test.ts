import { describe, expect, test } from "bun:test";
import { StartError } from "../../../src/core/lib/start-error.ts";
import { readFixtures } from "../../../src/features/testing/fixtures/read-fixtures.ts";
import { seededRandom } from "../../../src/features/testing/seeded-random.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { NOBODY, thrownBy, utf16 } from "../../support/values.ts";
import { crowd, house, ids, keyOf } from "./fixtures.ts";

const folder = useTemporaryFolder();

const NOW_MS = Date.UTC(2026, 2, 10);

/** Returns the rows of a fixtures file with this content. */
function rowsOf(content: unknown, nowMs = NOW_MS) {
	const isText = typeof content === "string" || content instanceof Uint8Array;
	const file = folder.write(isText ? content : JSON.stringify(content), "fixtures.json");
	return readFixtures(file, seededRandom(1))(nowMs);
}

describe("an invalid fixtures file", () => {
	test.each([
		["a comma before a closing brace", '{"a": 1,}', 1, 8],
		["a comma before a closing bracket on line 3", '{"a": [\r\n\t1, 2,\r\n]}', 2, 6],
		["a missing comma", '{"a": 1 "b": 2}', 1, 7],
		["single quotes", "{'a': 1}", 1, 1],
		["a misspelled literal", '{"a": tru}', 1, 5],
		["one closing brace too many", '{"a": [1.5e3, -0, true, null], "b": {"x\\\\y\\"": false}}}', 1, 54],
		["a comma without a property", "{,}", 1, 1],
		["a line break in a string", '{"a": "x\ny"}', 1, 5],
		["a comment", "{} // comment", 1, 2],
		["text after the last bracket", '["\\u00e9", "\\\\", "\u00e9"] x', 1, 21],
	])("with %s is refused with the line and column of the error", (_, text, line, column) => {
		expect(() => JSON.parse(text)).toThrow();
		expect(() => rowsOf(text)).toThrow(`is not valid JSON after line ${line}, column ${column};`);
	});

	test.each(["", "\n  "])("with the content %j is refused as empty", (text) => {
		expect(() => rowsOf(text)).toThrow("is empty; resort example fixtures.json");
	});

	test("with 1,000,000 nested brackets is refused with the line and column of a bracket", () => {
		expect(() => rowsOf("[".repeat(1_000_000))).toThrow(/not valid JSON after line 1, column \d+;/);
	});
});

describe("a relative time in a fixtures file", () => {
	const agentsAt = (createdAt: string) => rowsOf({ agents: [{ name: "Ada", createdAt }] });

	test.each([
		["0s", 0],
		["-0s", 0],
		["-50m", 3_000],
		["-1h30m", 5_400],
		["-1d1h1m1s", 90_061],
		["-90m", 5_400],
	])("%j means %d seconds before the start", (createdAt, seconds) => {
		const { agents } = agentsAt(createdAt);
		expect(agents.map(({ createdAt }) => NOW_MS - createdAt)).toEqual([seconds * 1000]);
	});

	test.each(["5m", "+1s"])("%j is refused because it is in the future", (createdAt) => {
		expect(() => agentsAt(createdAt)).toThrow("must not be later than now");
	});

	const tooLong = ["-12345678d", "-12345678h", "-12345678m", "-1234567890s"];
	test.each(["-", "+", "0", "-5", "1.5h", "-1m1h", "-1h-30m", "- 1h", "1w", "-1H", ...tooLong])(
		"%j is refused as invalid",
		(createdAt) => {
			expect(() => agentsAt(createdAt)).toThrow("must be a UTC time such as");
		},
	);
});

describe("readFixtures", () => {
	test("skips a byte order mark", () => {
		expect(rowsOf(`\ufeff${JSON.stringify({ agents: crowd(1) })}`).agents).toHaveLength(1);
	});

	test("gives a stay without a `roomNumber` a number that no other open stay has", () => {
		const guests = crowd(100).map(({ id }) => ({ agentId: id, roomType: "Owl Hollow" }));
		const numbered = guests.map((guest, at) => ({ ...guest, roomNumber: at }));
		const [other] = guests;
		const left = { ...numbered[1], checkedInAt: "-1h", checkedOutAt: "-1h" };
		const { stays } = rowsOf({ agents: crowd(100), stays: [other, ...numbered.slice(2), left] });
		const rooms = stays.map(({ roomNumber }) => roomNumber);
		expect(rooms).toEqual([1, ...Array.from({ length: 98 }, (_, at) => at + 2), 1]);
	});

	test("returns the moods, reviews and times of a file, even the earliest and latest times", () => {
		const { agents, stays, votes, ...others } = house();
		const [ada, bob] = agents;
		const [open, closed] = stays;
		const card = { senderId: ids.bob, message: "Hello" };
		const content = {
			...others,
			agents: [
				{ ...ada, createdAt: "1970-01-01T00:00:00Z" },
				{ ...bob, createdAt: "2026-01-03T00:00:00Z" },
			],
			stays: [{ ...open, moodOnArrival: "busy", checkedInAt: "-1h", maxMinutes: 90 }, closed],
			postcards: [
				{ ...card, createdAt: closed?.checkedInAt, mood: "calm", location: "Pond" },
				{ ...card, createdAt: closed?.checkedOutAt },
			],
		};
		for (const sorted of [votes, votes.toReversed()]) {
			const made = rowsOf({ ...content, votes: sorted }, Date.UTC(2026, 0, 3));
			// To record the snapshot again, add --update-snapshots.
			expect({
				stays: made.stays,
				postcards: made.postcards,
				registrations: made.agents.map(({ createdAt }) => createdAt),
				votes: made.votes.map(({ row }) => row),
			}).toMatchSnapshot();
		}
	});

	const { agents, stays, experiences, votes, postcards } = house();
	const [ada, bob] = agents;
	const [open, closed] = stays;
	const wrong: readonly unknown[] = [
		utf16("{}"),
		{ agents: [ada, { nmae: "Bob" }] },
		{ agnets: [] },
		[],
		{ guests: [] },
		{ "a\nb": [] },
		{ agents: {} },
		{ agents: [ada, 3] },
		{ agents: [{ bio: "calm" }] },
		{ agents: [bob, bob] },
		{ agents: [ada, { ...bob, apiKey: keyOf("a") }] },
		{ agents: [{ ...bob, id: "1" }] },
		{ agents: [{ ...bob, name: "B" }] },
		{ agents: [{ ...bob, bio: "x".repeat(501) }] },
		{ agents: [{ ...bob, apiKey: `${keyOf("a").slice(0, -1)}x` }] },
		...["2026-02-30T00:00:00Z", "+1d", "-1h-1m", "-99999d"].map((createdAt) => ({
			agents: [{ ...bob, createdAt }],
		})),
		{ stays: [open] },
		{ agents, stays: [{ ...open, roomType: "Cellar" }] },
		{ agents, stays: [{ ...open, roomNumber: 0 }] },
		{ agents, stays: [{ ...open, roomNumber: 100 }] },
		{ agents, stays: [open, { ...open, agentId: ids.bob }] },
		{ agents, stays: [open, { agentId: ids.ada }] },
		{ agents, stays: [{ ...closed, checkedInAt: "2026-01-03T00:00:00Z" }] },
		{ agents, stays: [{ ...closed, checkedInAt: null }] },
		{ experiences },
		{ agents, votes },
		{ agents, experiences, votes },
		{ ...house(), votes: [votes[0], votes[0]] },
		{ agents, postcards },
		{ ...house(), postcards: [{ ...postcards[1], recipientId: NOBODY }] },
		{ ...house(), postcards: [{ ...postcards[1], createdAt: "2026-01-05T00:00:00Z" }] },
	];

	test("refuses an invalid file with exit code 2 and an error that names the wrong item", () => {
		const told = wrong.map((content) => {
			const fault = thrownBy(() => rowsOf(content));
			expect(fault).toBeInstanceOf(StartError);
			expect(fault).toMatchObject({ exitCode: 2 });
			const { withHint } = fault as StartError;
			expect(withHint).not.toContain("\n");
			return withHint.replace(folder.file("fixtures.json"), "FILE");
		});
		// To record the snapshot again, add --update-snapshots.
		expect(told).toMatchSnapshot();
	});
});
