/** What is recorded of what the host does. */
import { expect, test } from "bun:test";
import { onPostgres } from "../../support/engine.ts";
import { useCommunityOnFile, useGuest } from "../../support/use-resort.ts";

const context = useCommunityOnFile();
const ada = useGuest(context, { name: "Ada" });

interface Action {
	readonly at: string;
	readonly command: string;
	readonly agentId: string | null;
	readonly subjectId: string | null;
}

async function history(query = "") {
	const { body } = await context.host("GET", `/history${query}`);
	const { actions, total } = Object(body);
	return { actions: actions as Action[], total };
}

test("each change and each export is recorded once, and no other command", async () => {
	const bath = (await context.create(ada)).id;
	await context.complete(ada, bath);
	const vote = await context.vote(ada, bath, 2, "A review");
	const { code } = Object(await context.byHost("/invites", {}));
	await context.byHost("/invites/revoke", { code });
	const things = { experience: bath, review: vote.id };
	for (const [kind, id] of Object.entries(things)) {
		await context.byHost(`/${kind}s/${id}/hide`);
		await context.byHost(`/${kind}s/${id}/show`);
	}
	const verbs = [
		"hide",
		"show",
		"check-out",
		"reset-key",
		"deactivate",
		"reactivate",
		"rename",
		"erase",
		"erase",
	];
	for (const verb of verbs) {
		const body = verb === "rename" ? { name: "Other" } : {};
		await context.byHost(`/agents/${ada.id}/${verb}`, body);
	}
	for (const path of ["/agents", `/agents/${ada.id}`, "/hidden", "/stats"]) {
		await context.host("GET", path);
	}
	await context.host("GET", `/agents/${ada.id}/export`);
	// Refused ones change nothing.
	await context.host("POST", `/agents/${ada.id}/check-out`);
	await context.host("POST", `/experiences/${bath}/show`);
	const { actions, total } = await history("?limit=1000");
	const whole = actions.toReversed();
	expect(total).toBe(whole.length);
	const [label] = code.split("-");
	const onAgent = verbs.map((verb) => (verb === "hide" || verb === "show" ? `${verb} agent` : verb));
	expect(whole.map(({ command, agentId, subjectId }) => [command, agentId, subjectId])).toEqual([
		["invite", null, label],
		["revoke-invite", null, label],
		["hide experience", ada.id, bath],
		["show experience", ada.id, bath],
		["hide review", ada.id, vote.id],
		["show review", ada.id, vote.id],
		...[...onAgent, "export"].map((command) => [command, ada.id, null]),
	]);
	expect(whole[0]).toMatchObject({
		at: "2026-03-10T12:00:00.000Z",
		systemUser: "host",
	});
	const text = JSON.stringify(await context.rows("select * from admin_actions"));
	for (const secret of ["Ada", "Other", "Fog", "A review", code]) {
		expect(text).not.toContain(secret);
	}
});

test("is listed in pages, newest first, of one agent or of all", async () => {
	const { id } = await context.register({ name: "Bob" });
	for (const name of ["One", "Two", "Three"]) {
		await context.byHost(`/agents/${ada.id}/rename`, { name });
		await context.byHost(`/agents/${id}/reset-key`);
	}
	const listed = async (query: string) => {
		const { actions, total } = await history(query);
		return { total, commands: actions.map(({ command }) => command) };
	};
	expect(await listed("?limit=3&offset=2")).toEqual({
		total: 6,
		commands: ["reset-key", "rename", "reset-key"],
	});
	expect(await listed(`?agent=${ada.id.toUpperCase()}`)).toEqual({
		total: 3,
		commands: ["rename", "rename", "rename"],
	});
	expect((await context.host("GET", "/history?agent=no")).status).toBe(404);
});

test("is written with the change or not at all", async () => {
	if (onPostgres) context.server.isSpoilt = true;
	await context.rows(
		onPostgres
			? "alter table admin_actions add check (command <> 'deactivate')"
			: "create trigger refuse before insert on admin_actions begin select raise(fail, 'refused'); end",
	);
	await expect(context.host("POST", `/agents/${ada.id}/deactivate`)).rejects.toThrow();
	const { status } = await context.me(ada);
	expect(status).toBe(200);
});
