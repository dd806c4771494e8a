import { expect, test } from "bun:test";
import { useHouses } from "../../support/postgres/houses.ts";
import { describeOnPostgres } from "../../support/requirements.ts";

describeOnPostgres("at two instances", () => {
	const houses = useHouses({ count: 2, setup: { registration: "invite" } });

	test("a use of an invitation counts for both", async () => {
		const invited = await houses.at(0).byHost("/invites", { uses: 3 });
		const { code: inviteCode } = Object(invited);
		const answers = await houses.atOnce(20, (context) =>
			context.ask("POST", "/api/agents", { body: { name: "Ada", inviteCode } }),
		);
		const taken = answers.filter(({ status }) => status === 201);
		expect(taken).toHaveLength(3);
	});
});
