/** What the host does at one instance is seen at every other of the same database. */
import { beforeEach, expect, test } from "bun:test";
import { Houses, useHouses } from "../support/postgres/houses.ts";
import { testServer } from "../support/postgres/lazy-store.ts";
import { describeOnPostgres } from "../support/requirements.ts";
import type { Registered, TestResort } from "../support/resort.ts";

describeOnPostgres("at another instance", () => {
	const houses = useHouses({ count: 2 });
	let one: TestResort;
	let two: TestResort;
	let ada: Registered;

	beforeEach(async () => {
		one = houses.at(0);
		two = houses.at(1);
		ada = await one.guest({ name: "Ada" });
		houses.advance(1000);
	});

	const read = async (path: string) => (await two.ask("GET", path)).text;

	test("a hidden postcard is gone from answers that were kept ready, and comes back", async () => {
		const { body } = await one.ask("POST", "/api/postcards", {
			key: ada.key,
			body: { message: "Nasty words" },
		});
		const paths = [
			"/api/postcards",
			"/board",
			"/feed.atom",
			"/api/events?since=0",
		];
		for (const verb of ["hide", "show"]) {
			for (const path of paths) {
				expect((await read(path)).includes("Nasty")).toBe(verb === "hide");
			}
			await one.byHost(`/postcards/${body.postcard.id}/${verb}`);
			const isShown = verb === "show";
			for (const path of paths) {
				expect((await read(path)).includes("Nasty")).toBe(isShown);
			}
		}
	});

	test("a check-out, a new name, a new key and an erasure are seen at once", async () => {
		const status = `/api/agents/${ada.id}/status`;
		expect(await read(status)).toContain("relaxing");
		await one.byHost(`/agents/${ada.id}/check-out`);
		expect(await read(status)).toContain("available");
		await one.byHost(`/agents/${ada.id}/rename`, { name: "Quiet One" });
		expect(await read(status)).toContain("Quiet One");
		const me = (key: string) => two.me({ key });
		expect((await me(ada.key)).status).toBe(200);
		const { apiKey } = await one.byHost(`/agents/${ada.id}/reset-key`);
		expect((await me(ada.key)).status).toBe(401);
		expect((await me(apiKey)).status).toBe(200);
		await one.byHost(`/agents/${ada.id}/erase`);
		expect((await me(apiKey)).status).toBe(401);
		expect((await two.ask("GET", status)).status).toBe(404);
		expect(
			await houses.rows("select 1 from events where type = 'agent.gone'"),
		).toHaveLength(1);
	});

	test("a use of an invitation counts for both", async () => {
		const setup = { registration: "invite" } as const;
		await using closed = await Houses.open(`${testServer}`, {
			count: 2,
			setup,
		});
		const { code } = (await closed
			.at(0)
			.byHost("/invites", { uses: 3 })) as unknown as {
			code: string;
		};
		const answers = await closed.atOnce(20, (context) =>
			context.ask("POST", "/api/agents", {
				body: { name: "Ada", inviteCode: code },
			}),
		);
		const taken = answers.filter(({ status }) => status === 201);
		expect(taken).toHaveLength(3);
	});
});
