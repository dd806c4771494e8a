import { expect, test } from "bun:test";
import { commandLine, describeNext } from "../../src/client/call-commands.ts";
import { catalogue } from "../../src/client/catalogue.ts";
import { commands } from "../../src/client/commands.ts";
import { nextAfter } from "../../src/content/next-calls.ts";
import { toHttpCall } from "../../src/core/lib/hint.ts";

const program = { name: "resort", commands };

test.each([
	["GET", "/api/activities?view=brief", "activities --view brief"],
	["POST", "/api/experiences/exp-1/vote", "rate exp-1 --rating NUMBER"],
	["DELETE", "/api/experiences/e-1", `call archiveExperience '{"id":"e-1"}'`],
] as const)("commandLine shows the call %s %s as the command %p", (method, path, line) => {
	expect(commandLine(program, { method, path })).toBe(`resort ${line}`);
});

test.each([
	["GET", "/api/nothing"],
	["PUT", "/api/me"],
])("commandLine shows no command for the unknown call %s %s", (method, path) => {
	expect(commandLine(program, { method, path })).toBeUndefined();
});

// To record the snapshot again, add --update-snapshots.
test("commandLine shows every operation as a command", () => {
	const lines = catalogue.map(({ method, path }) => {
		const target = path.replace(/:\w+/g, "ID");
		return `${method} ${target}: ${commandLine(program, { method, path: target })}`;
	});
	expect(lines).toMatchSnapshot();
});

test("describeNext shows every call that a resort suggests as a command", () => {
	const stay = { id: "018f", relaxationPoints: 3 };
	const made = { experience: 0, postcard: 0 } as const;
	const checkedOutAt = "2026-03-10T12:00:00.000Z";
	const lastStay = { checkedOutAt, totalRelaxationPoints: 20, refreshedStatus: "properly rested" };
	const steps = [
		nextAfter.registration(),
		nextAfter.overview({ stay, lastStay: null, done: [], unansweredSenderId: "018f", hasJustLeft: false }),
		nextAfter.arrival({ ...stay, relaxationPoints: 0 }, true),
		nextAfter.activity(stay, "nap", made),
		nextAfter.creation(stay, made),
		nextAfter.experience(stay, { id: "exp-1", isOwn: false }, made),
		nextAfter.vote(null, true),
		nextAfter.postcard({ ...stay, relaxationPoints: 18 }, true),
		nextAfter.checkOut(lastStay, true),
	];
	for (const calls of steps) {
		const next = calls.map(toHttpCall);
		const line = describeNext(program, next);
		expect(line.split("; ")).toHaveLength(next.length);
		expect(line).not.toMatch(/\/api|(GET|POST) /);
	}
	for (const none of [undefined, null, [], ["x"], [{ method: "GET" }], "x"]) {
		expect(describeNext(program, none)).toBe("");
	}
});

test("describeNext shows the known fields in a body as flags, and a placeholder for a value that needs quotation marks", () => {
	const send = (recipientId: string) =>
		describeNext(program, [{ method: "POST", path: "/api/postcards", body: { recipientId } }]);
	expect(send("018f-a")).toBe("next: resort send --message TEXT --recipient-id 018f-a\n");
	expect(send("$(id)")).toBe("next: resort send --message TEXT --recipient-id TEXT\n");
});

test("describeNext shows no command for a path that a shell would expand", () => {
	for (const path of ["/api/x`id`", "/api/activities/$(id)/do", "/api/me;id"]) {
		expect(describeNext(program, [{ method: "POST", path }])).toBe("");
	}
});
