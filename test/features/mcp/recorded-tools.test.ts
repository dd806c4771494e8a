/**
 * Compares the lists of the MCP server and the results of its tools with recorded ones. To record them again:
 * npx bun test test/features/mcp/recorded-tools.test.ts --update-snapshots
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { seededRandom } from "../../../src/features/testing/seeded-random.ts";
import type { CallOptions, Registered } from "../../support/calls.ts";
import { type Setup, TestResort } from "../../support/resort.ts";
import { fogBathing, NOBODY, NOBODYS } from "../../support/values.ts";
import { sendMessage, toolsOf } from "./support/tools.ts";

const identity = { url: "https://id.test", secrets: ["s".repeat(32)] } as const;

const nested = JSON.parse("[".repeat(25) + "]".repeat(25));

const resort = new TestResort({ random: seededRandom(1) });
let ada: Registered;
beforeAll(async () => {
	ada = await resort.guest({ name: "Ada" });
	const adam = await resort.guest({ name: "Adam" });
	for (let at = 0; at < 8; at++) {
		const category = at % 2 === 0 ? "water" : "walks";
		await resort.create(ada, { name: `Walk ${at}`, category });
		await resort.sendPostcard(adam, { message: `Day ${at}.` });
	}
});
afterAll(() => resort.close());

test.each([
	["if registration requires an invitation", { registration: "invite" }],
	["if there is an identity provider", { identity }],
] as const)("tools/list describes the tool `register` %s", async (_, setup: Setup) => {
	await using one = new TestResort(setup);
	const { message } = await sendMessage(one, "tools/list");
	expect(message.result.tools[1]).toMatchSnapshot();
});

test.each([
	["tools/list", {}],
	["resources/list", {}],
	["resources/templates/list", {}],
	["resources/read", { uri: "resort://assignments" }],
	["prompts/list", {}],
	["prompts/get", { name: "take_a_break" }],
])("%s with the parameters %j returns the recorded result", async (method, params) => {
	const { message } = await sendMessage(resort, method, params);
	expect(message).toMatchSnapshot();
});

type Call = readonly [caller: string, tool: string, args?: object];

/** Makes the calls in the given order, and compares their results with the recorded ones. */
async function expectRecorded(
	one: TestResort,
	asks: Record<string, CallOptions>,
	calls: readonly Call[],
): Promise<void> {
	for (const [caller, name, args = {}] of calls) {
		const { isError, body, notices } = await toolsOf(one, asks[caller])(name, args);
		const text = JSON.stringify({ isError, notices, body }, null, 2);
		const call = `${caller}: ${name} ${JSON.stringify(args)}`;
		expect(text.replaceAll(/ar_\w{30,}/g, "ar_KEY")).toMatchSnapshot(call);
	}
}

test("each call in a sequence of tool calls returns the recorded result", async () => {
	const asks = { ada: { key: ada.key }, nobody: {}, wrong: { key: "ar_wrong" } };
	await expectRecorded(resort, asks, [
		["nobody", "overview"],
		["wrong", "overview"],
		["nobody", "check_in"],
		["nobody", "overview", { apiKey: "ar_wrong" }],
		["ada", "overview", { apiKey: "ar_wrong" }],
		["ada", "overview"],
		["ada", "register", { name: "Bob" }],
		["nobody", "register"],
		["nobody", "register", { name: "Bob" }],
		["ada", "check_in"],
		["nobody", "find_things_to_do"],
		["nobody", "find_things_to_do", { limit: 3, offset: 6 }],
		["nobody", "find_things_to_do", { limit: 2, offset: 34 }],
		["nobody", "find_things_to_do", { limit: 2, category: " Water " }],
		["nobody", "find_things_to_do", { limit: 2, offset: 6, category: "water" }],
		["ada", "find_things_to_do", { creatorId: "me", limit: 1 }],
		["nobody", "find_things_to_do", { ideas: true }],
		["ada", "do_activity"],
		["ada", "do_activity", { id: "tidepool-float" }],
		["ada", "do_activity", { id: "deep-sleep-mode" }],
		["ada", "do_activity", { id: "full-silence-afternoon" }],
		["ada", "do_activity", { id: "nothing" }],
		["ada", "do_activity", { id: " EXP-1" }],
		["ada", "do_activity", { id: nested }],
		["ada", "do_activity", { id: { toString: 1, valueOf: 1 } }],
		["ada", "send_postcard", { message: "Hi", recipientId: "Ada" }],
		["ada", "rate_experience", { id: "exp-1", rating: 9 }],
		["ada", "create_experience", fogBathing],
		["ada", "do_activity", { id: NOBODYS }],
		["ada", "experience", { id: NOBODYS }],
		["ada", "rate_experience", { id: NOBODYS, stars: 3 }],
		["ada", "read_postcards", { box: "bin" }],
		["ada", "read_postcards", { box: "board", limit: 1 }],
		["nobody", "agent_status", { ids: [NOBODY, NOBODYS] }],
		["nobody", "agent_status"],
		["nobody", "agent_status", { name: "A" }],
		["nobody", "agent_status", { ids: "x", wait: 0 }],
		["nobody", "register", { another: 1 }],
		["nobody", "find_things_to_do", { sort: "best" }],
		["ada", "read_postcards", { limit: nested }],
		["nobody", "agent_status", { name: "adam" }],
		["nobody", "agent_status", { name: "ad" }],
		["nobody", "agent_status", { ids: NOBODY, wait: 46 }],
		["nobody", "lobby", { limit: 1 }],
		["nobody", "lobby", { limit: null }],
		["ada", "check_out"],
		["ada", "check_out"],
		["ada", "do_activity", { id: "doorway-stretch" }],
		["ada", "send_postcard", { message: "Hi" }],
	]);
});

test("tools treat null and an empty text as omitted arguments, and refuse other invalid arguments", async () => {
	await using one = new TestResort({ random: seededRandom(2) });
	const asks = { ada: { key: (await one.guest({ name: "Ada", bio: "calm" })).key } };
	const omitting = [null, ""].flatMap((empty): Call[] => [
		["ada", "find_things_to_do", { creatorId: empty, sort: empty, category: empty, limit: 1 }],
		["ada", "read_postcards", { box: empty }],
		["ada", "send_postcard", { message: "Hello", recipientId: empty, mood: empty }],
		["ada", "do_activity", { id: "tidepool-float", idempotencyKey: empty }],
		["ada", "register", { name: "Bo", avatarUrl: empty, bio: empty, another: true }],
		["ada", "overview", { apiKey: empty }],
		["ada", "agent_status", { ids: empty, name: "Ada", until: empty }],
		["ada", "experience", { id: empty }],
		// In this call, null and an empty text do not count as omitted: both clear the fields.
		["ada", "edit_profile", { bio: empty, avatarUrl: empty }],
	]);
	const unknown = ["recipient_id", "RecipientId", "constructor"].map((name): Call => {
		return ["ada", "send_postcard", { message: "Refused", [name]: NOBODY }];
	});
	await expectRecorded(one, asks, [
		...omitting,
		["ada", "edit_profile", { name: null, interests: null, bio: "calmer" }],
		["ada", "send_postcard", { message: "Refused", recipientId: " " }],
		...unknown,
		["ada", "read_postcards", { box: "board" }],
		["ada", "lobby", { limits: 1 }],
		["ada", "lobby", { x: 1 }],
		["ada", "lobby", { ["x".repeat(70)]: 1 }],
		["ada", "do_activity", { id: "x", note: "x" }],
		["ada", "overview", { view: "full" }],
		["ada", "register", { phase: "discover" }],
		["ada", "agent_status", { ids: NOBODY, expect: "available" }],
		["ada", "agent_status", { ids: NOBODY, view: "count" }],
	]);
});

test("the tool `agent_status` finds an agent by its name, or lists at most ten candidates", async () => {
	await using one = new TestResort({ random: seededRandom(3) });
	for (const name of ["Ada", "Adam", ...Array(11).fill("Bob")]) await one.guest({ name });
	await expectRecorded(one, {}, [
		...[" ADA ", "Ad", "Bob", "Eve"].map((name): Call => ["nobody", "agent_status", { name }]),
		["nobody", "agent_status", { ids: NOBODY, name: "Bob" }],
	]);
});

test("the tool `read_postcards` returns the postcards of the given box: inbox, board or sent", async () => {
	await using one = new TestResort({ random: seededRandom(4) });
	const [guest, bob] = [await one.guest({ name: "Ada" }), await one.guest({ name: "Bob" })];
	await one.sendPostcard(guest, { message: "To all" });
	await one.sendPostcard(guest, { message: "To Bob", recipientId: bob.id });
	await one.sendPostcard(bob, { message: "To Ada", recipientId: guest.id });
	const { id } = await one.create(bob);
	await expectRecorded(one, { ada: { key: guest.key } }, [
		...["inbox", null, "board", "sent"].map((box): Call => ["ada", "read_postcards", { box }]),
		["ada", "rate_experience", { id, rating: 5 }],
		["ada", "send_postcard", { message: "Hi", recipientId: NOBODY }],
	]);
});

test.each([
	["with an identity provider", { identity }],
	["with closed registration", { registration: "closed" }],
] as const)("%s, refused tool calls name the tool to call next", async (_, setup: Setup) => {
	await using one = new TestResort(setup);
	await expectRecorded(one, {}, [
		["nobody", "register", { name: "Ada" }],
		["nobody", "overview"],
	]);
});
