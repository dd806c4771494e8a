import { expect, test } from "bun:test";
import { commandLine, describeNext } from "../../src/client/call-commands.ts";
import { catalogue } from "../../src/client/catalogue.ts";
import { commands } from "../../src/client/commands.ts";

const program = { start: "resort", commands };

test.each([
	["GET", "/api/activities?view=brief", "activities --view brief"],
	["POST", "/api/experiences/exp-1/vote", "rate exp-1 --rating NUMBER"],
	["DELETE", "/api/experiences/e-1", `call archiveExperience '{"id":"e-1"}'`],
] as const)("commandLine shows the call `%s %s` as the command `%s`", (method, path, line) => {
	expect(commandLine(program, { method, path })).toBe(`resort ${line}`);
});

test.each([
	["GET", "/api/nothing"],
	["PUT", "/api/me"],
])("commandLine shows no command for `%s %s`, which is no operation", (method, path) => {
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

test("describeNext shows body fields as flags, with TEXT for a value that is missing or must be quoted", () => {
	const send = (recipientId: string) =>
		describeNext(program, [{ method: "POST", path: "/api/postcards", body: { recipientId } }]);
	expect(send("018f-a")).toBe("next: resort send --message TEXT --recipient-id 018f-a\n");
	expect(send("$(id)")).toBe("next: resort send --message TEXT --recipient-id TEXT\n");
});

test("describeNext shows no command for a path with characters that a shell interprets", () => {
	for (const path of ["/api/x`id`", "/api/activities/$(id)/do", "/api/me;id"]) {
		expect(describeNext(program, [{ method: "POST", path }])).toBe("");
	}
});
