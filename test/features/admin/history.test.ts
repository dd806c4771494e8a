import { describe, expect, test } from "bun:test";
import type { Result } from "../../../src/features/admin/operations.ts";
import { onPostgres } from "../../support/engine.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";

const context = useResort({ onFile: true });
const ada = useGuest(context, { name: "Ada" });

async function history(query = ""): Promise<Result<"history">> {
	return Object((await context.host("GET", `/history${query}`)).body);
}

describe("the history of the host's changes", () => {
	test("contains each change and each export once, without texts, and the log contains the same changes", async () => {
		const bath = (await context.create(ada)).id;
		await context.complete(ada, bath);
		const vote = await context.vote(ada, bath, 2, "A review");
		const { code } = Object(await context.byHost("/invites", {}));
		const [label = ""] = code.split("-");
		await context.byHost("/invites/revoke", { code });
		for (const [kind, id] of Object.entries({ experience: bath, review: vote.id })) {
			await context.byHost(`/${kind}s/${id}/hide`);
			await context.byHost(`/${kind}s/${id}/show`);
		}
		const verbs = "hide show check-out reset-key deactivate reactivate rename erase erase".split(" ");
		for (const verb of verbs) {
			await context.byHost(`/agents/${ada.id}/${verb}`, verb === "rename" ? { name: "Other" } : {});
		}
		for (const path of ["/agents", `/agents/${ada.id}`, "/hidden", "/stats", `/agents/${ada.id}/export`]) {
			await context.host("GET", path);
		}
		// These commands are refused, so the history does not contain them.
		await context.host("POST", `/agents/${ada.id}/check-out`);
		await context.host("POST", `/experiences/${bath}/show`);
		const { actions, total } = await history("?limit=1000");
		expect(total).toBe(actions.length);
		const onAgent = verbs.map((verb) => (verb === "hide" || verb === "show" ? `${verb} agent` : verb));
		const changes = [
			["invite", null, label],
			["revoke-invite", null, label],
			["hide experience", ada.id, bath],
			["show experience", ada.id, bath],
			["hide review", ada.id, vote.id],
			["show review", ada.id, vote.id],
			...onAgent.map((command) => [command, ada.id, null]),
		];
		expect(
			actions.toReversed().map(({ command, agentId, subjectId }) => [command, agentId, subjectId]),
		).toEqual([...changes, ["export", ada.id, null]]);
		expect(actions[0]).toMatchObject({ at: "2026-03-10T12:00:00.000Z", systemUser: "host" });
		const logged = context.log.map(({ properties }) => properties).filter(({ by }) => by === "admin");
		expect(logged.map(({ what, whom }) => [what, whom])).toEqual(
			changes.map(([command, agentId, subjectId]) => [command, subjectId ?? agentId]),
		);
		const stored = JSON.stringify([await context.rows("select * from admin_actions"), context.log]);
		for (const text of ["Ada", "Other", "Fog", "A review", code]) expect(stored).not.toContain(text);
	});

	test("is listed newest first, in pages, for all agents or for one", async () => {
		const { id } = await context.register({ name: "Bob" });
		for (const name of ["One", "Two", "Three"]) {
			await context.byHost(`/agents/${ada.id}/rename`, { name });
			await context.byHost(`/agents/${id}/reset-key`);
		}
		const listed = async (query: string) => {
			const { actions, total } = await history(query);
			return [total, ...actions.map(({ command }) => command)];
		};
		expect(await listed("?limit=3&offset=2")).toEqual([6, "reset-key", "rename", "reset-key"]);
		expect(await listed(`?agent=${ada.id.toUpperCase()}`)).toEqual([3, "rename", "rename", "rename"]);
		expect((await context.host("GET", "/history?agent=no")).status).toBe(404);
	});

	test("is written in the same transaction as the change", async () => {
		if (onPostgres) context.server.isSpoilt = true;
		await context.rows(
			onPostgres
				? "alter table admin_actions add check (command <> 'deactivate')"
				: "create trigger refuse before insert on admin_actions begin select raise(fail, 'refused'); end",
		);
		await expect(context.host("POST", `/agents/${ada.id}/deactivate`)).rejects.toThrow();
		expect((await context.me(ada)).status).toBe(200);
	});
});
