import { describe, expect, test } from "bun:test";
import { Refusal } from "../../src/client/call.ts";
import { catalogue } from "../../src/client/catalogue.ts";
import { commands } from "../../src/client/commands.ts";
import { usage } from "../../src/client/failure.ts";
import {
	commandLine,
	describeNext,
	inCommands,
	inFlags,
	tellFailure,
} from "../../src/client/phrasing.ts";
import { nextAfter } from "../../src/content/next.ts";

const program = { name: "resort", commands };

describe("a call is told as a command", () => {
	test.each([
		["POST", "/api/checkin", "checkin"],
		["POST", "/api/agents", "register --name TEXT"],
		["GET", "/api/me", "profile"],
		["GET", "/api/me/overview", "overview"],
		["GET", "/api/stays/current", "overview"],
		["POST", "/api/me/api-key", "key rotate"],
		["GET", "/api/activities?view=brief", "activities --view brief"],
		["POST", "/api/activities/{id}/do", "do ID"],
		["POST", "/api/experiences/exp-1/do", "do exp-1"],
		["POST", "/api/experiences/exp-1/vote", "rate exp-1 --rating NUMBER"],
		["GET", "/api/agents/status", "status"],
		["GET", "/api/agents/{id}/status", "status ID"],
		["GET", "/api/stays", "call listStays"],
		["GET", "/", "call getWelcome"],
		["GET", "/api/agents/{id}", `call getAgent '{"id":"ID"}'`],
		["DELETE", "/api/experiences/e-1", `call archiveExperience '{"id":"e-1"}'`],
		["GET", "/api/nothing", undefined],
		["PUT", "/api/me", undefined],
	] as const)("%s %s", (method, target, line) => {
		const told = line === undefined ? undefined : `resort ${line}`;
		expect(commandLine(program, method, target)).toBe(told);
	});
});

test("every operation has a command line", () => {
	for (const { method, path } of catalogue) {
		const target = path.replace(/:(\w+)/g, "{$1}");
		expect(commandLine(program, method, target)).toBeString();
	}
});

test("every step that a resort tells next is a command", () => {
	const steps = [
		nextAfter.registration(),
		nextAfter.comingBack(3, true),
		nextAfter.checkIn(),
		nextAfter.activity(3),
		nextAfter.creation("exp-1"),
		nextAfter.experience("exp-1"),
		nextAfter.vote(false),
		nextAfter.postcard(),
		nextAfter.checkOut(),
	];
	for (const next of steps) {
		const line = describeNext(program, next);
		expect(line.split("; ")).toHaveLength(next.length);
		expect(line).not.toMatch(/\/api|[A-Z]{4} /);
	}
	for (const none of [undefined, null, [], ["x"], [{ method: "GET" }], "x"]) {
		expect(describeNext(program, none)).toBe("");
	}
});

test("what a shell would obey is no part of a command", () => {
	for (const path of ["/api/x`id`", "/api/activities/$(id)/do", "/api/me;id"]) {
		expect(describeNext(program, [{ method: "POST", path }])).toBe("");
	}
	const text = inCommands(program, "Call POST /api/activities/$(id)/do.");
	expect(text).toBe("Call POST /api/activities/$(id)/do.");
});

test("fields are told as flags, and words that may be more are left", () => {
	const { flags = {} } = commands.send ?? {};
	expect(
		inFlags(flags, "message, `message`, `mood=calm`, recipientId, senderId"),
	).toBe("message, --message, `--mood calm`, --recipient-id, senderId");
});

test("a failure of the command line leads to the help", () => {
	const hintOf = (called: string) =>
		tellFailure(program, called, usage("x")).hint;
	expect(hintOf("send")).toBe("see `resort send --help`");
	expect(hintOf("nope")).toBe("see `resort --help`");
	expect(hintOf("constructor")).toBe("see `resort --help`");
});

test("a broken bound names the flag", () => {
	const refusal = new Refusal("mood must be short", 1, "", 400, 0, "mood");
	const told = (called: string) => tellFailure(program, called, refusal);
	expect(told("send").message).toBe("--mood must be short");
	expect(told("call").message).toBe("mood must be short");
});
