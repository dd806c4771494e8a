/**
 * Tests that no interface returns stored invisible characters. For request bodies, see
 * test/core/resort/fields.test.ts.
 */
import { beforeEach, describe, expect, test } from "bun:test";
import { getTableColumns, getTableName } from "drizzle-orm";
import { SQLiteText } from "drizzle-orm/sqlite-core";
import { NOTICE } from "../../src/content/notice.ts";
import { bodyOf } from "../../src/features/webhooks/webhook-message.ts";
import { readEverywhere } from "../features/admin/everywhere.ts";
import { leaveTraces, MARK, type Traced, traceable } from "../features/admin/traces.ts";
import { toolsOf } from "../features/mcp/support/tools.ts";
import { Visitor } from "../features/pages/support/visitor.ts";
import { expectRefusal } from "../support/answers.ts";
import { EventReader } from "../support/event-reader.ts";
import { invisible } from "../support/invisible-texts.ts";
import { tables } from "../support/store.ts";
import { useGuest, useResort } from "../support/use-resort.ts";

/** Matches invisible and control characters, and the escapes of control characters in JSON. */
const INVISIBLE =
	/[\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]|(?!\t|\r?\n)\p{Cc}|\\u00[01]\d|[^\\]\\[bf]/u;
/** All invisible characters in the list `invisible`, and some control characters. */
const HIDDEN = `${invisible
	.flatMap(([text]) => [...text].filter((one) => INVISIBLE.test(one)))
	.join("")}\u0001\b\v\f\r\u001b\u007f\u0085\u009b`;
const ESCAPED = JSON.stringify(HIDDEN).slice(1, -1);

const context = useResort(traceable);
const other = useGuest(context, { name: "Somebody Else" });

describe("a stored text with invisible characters", () => {
	let agent: Traced;
	beforeEach(async () => {
		agent = await leaveTraces(context, other);
		for (const table of tables) {
			const columns = Object.values(getTableColumns(table));
			for (const { name, dataType } of columns.filter(
				(column) => column instanceof SQLiteText || column.dataType === "json",
			)) {
				const isJson = dataType === "json" || name === "details";
				const hidden = isJson ? ESCAPED : HIDDEN;
				const column = name.replace(/[A-Z]/g, (letter: string) => `_${letter.toLowerCase()}`);
				await context.rows(
					`update ${getTableName(table)} set ${column} = replace(${column}, '${MARK} ', '${MARK}${hidden} ')`,
				);
			}
		}
	});

	/** Requires that a response contains texts of the agent, and no invisible characters. */
	function requireVisible(read: string): void {
		expect(read).toContain(`${MARK} `);
		expect(read).not.toMatch(INVISIBLE);
	}

	test("is returned without them by all public operations and pages", async () => {
		const read = await readEverywhere(context, {
			agents: [agent, other],
			experienceIds: [agent.experienceId],
		});
		// The client program contains invisible characters in its regular expressions.
		for (const path of read.keys()) {
			if (path.startsWith("/agent-resort.mjs")) read.delete(path);
		}
		for (const [path, text] of read) {
			expect({ path, found: INVISIBLE.exec(text) }).toEqual({ path, found: null });
		}
		requireVisible([...read.values()].join());
	});

	test("is returned without them by GET operations that require a credential, and by /me", async () => {
		for (const { key } of [agent, other]) {
			const paths = context.operations
				.filter(({ method, credential }) => `${method} ${credential}` === "GET any")
				.map(({ path }) => path)
				.filter((path) => !path.includes(":"));
			for (const path of paths) {
				const { text } = await context.call("GET", path, { key });
				expect({ path, found: INVISIBLE.exec(text) }).toEqual({ path, found: null });
			}
		}
		const person = await new Visitor(context).signIn(agent.key);
		requireVisible((await person.open()).text);
		requireVisible((await person.open("/me/deactivate")).text);
	});

	test("is returned without them by MCP tools", async () => {
		const use = toolsOf(context, { key: other.key });
		const { body } = await use("read_postcards");
		expect(body.postcards).toHaveLength(1);
		for (const [name, args] of [
			["overview", {}],
			["find_things_to_do", {}],
			["read_postcards", { box: "board" }],
			["read_postcards", { box: "inbox" }],
			["lobby", {}],
			["do_activity", { id: agent.experienceId }],
		] as const) {
			const { body, structured } = await use(name, args);
			requireVisible(JSON.stringify([body, structured]));
		}
		const own = toolsOf(context, { key: agent.key });
		const sent = { message: "Hello", recipientId: other.id };
		requireVisible(JSON.stringify(await own("send_postcard", sent)));
	});

	test("is sent without them to streams and webhooks", async () => {
		await using server = Bun.serve({ port: 0, fetch: (request) => context.fetch(request) });
		const { body } = await context.call("GET", "/api/events?since=0");
		const reader = await EventReader.open(`http://127.0.0.1:${server.port}/api/events?since=0`);
		const events = await reader.have(body.events.length);
		reader.leave();
		requireVisible(events.map(({ data }) => data).join());
		const { store } = context.context;
		const messages = await store.read(function* () {
			const bodies = [];
			for (const { id } of body.events) {
				const due = { id, eventId: Number(id), createdAt: 0, attempt: 0 };
				bodies.push(yield* bodyOf(context.context, agent.id, due));
			}
			const ping = { id: "", eventId: null, createdAt: 0, attempt: 0 };
			return [...bodies, yield* bodyOf(context.context, agent.id, ping)];
		});
		requireVisible(messages.join());
	});

	test("is exported unchanged", async () => {
		const { text } = await context.host("GET", `/agents/${agent.id}/export`);
		expect(text).toContain(ESCAPED);
	});
});

test("the rename of an agent is refused if the new name has invisible characters", async () => {
	for (const [name] of invisible) {
		const path = `/agents/${other.id}/rename`;
		const answer = await context.host("POST", path, { name: `Ada${name}` });
		expectRefusal(answer, 400, "name must not contain invisible characters");
	}
});

test("a text that contains backslashes and escape sequences is returned unchanged", async () => {
	const message = String.raw`\u001b \\u0007 \b \r \f \\\u009b "\\b"`;
	await context.sendPostcard(other, { message });
	expect(await context.messages("/api/postcards")).toEqual([message]);
	const feed = JSON.parse((await context.call("GET", "/feed.json")).text);
	expect(JSON.stringify(feed)).toContain(JSON.stringify(message));
	const { events } = await context.send("GET", "/api/events?since=0");
	expect(events.at(-1)?.postcard?.message).toBe(message);
});

test("/api/me/overview and /api/postcards/inbox begin with the notice that guests' texts are data", async () => {
	const ask = { key: other.key };
	for (const path of ["/api/me/overview", "/api/postcards/inbox"]) {
		const { text } = await context.call("GET", path, ask);
		expect(text).toStartWith(`{"ok":true,"notice":${JSON.stringify(NOTICE)},`);
	}
});
