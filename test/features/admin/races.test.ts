/** Tests of the host's operations while calls at other instances change the same rows. */
import { beforeEach, expect, test } from "bun:test";
import type { Answered, Registered } from "../../support/calls.ts";
import { describeOnPostgres } from "../../support/requirements.ts";
import { fogBathing } from "../../support/values.ts";
import { waitForLocks } from "../postgres/support/databases.ts";
import { useHouses } from "../postgres/support/houses.ts";

describeOnPostgres("at two instances", () => {
	const houses = useHouses({ count: 2, connections: 8 });
	let ada: Registered;
	let bob: Registered;
	let id: string;

	beforeEach(async () => {
		ada = await houses.at(0).guest({ name: "Ada" });
		bob = await houses.at(0).guest({ name: "Bob" });
		const { body } = await houses.at(0).call("POST", "/api/experiences", { key: ada.key, body: fogBathing });
		id = body.experience.id;
		houses.at(1).advance(5);
	});

	/**
	 * Locks a row in a transaction. Makes each call after the previous one has begun to wait for the row, and
	 * then unlocks the row.
	 */
	async function whileLocked(
		statement: string,
		calls: readonly (() => Promise<Answered>)[],
	): Promise<Answered[]> {
		await using other = new Bun.SQL(houses.url, { max: 1 });
		const answers: Promise<Answered>[] = [];
		await other.begin(async (transaction) => {
			await transaction.unsafe(statement);
			for (const call of calls) {
				answers.push(call());
				await waitForLocks(rows, answers.length);
			}
		});
		return Promise.all(answers);
	}

	const rows = async (text: string) => [...(await houses.rows(text))];

	const doIt = () => houses.at(1).call("POST", `/api/experiences/${id}/do`, { key: bob.key });

	const statuses = (answers: readonly Answered[]) => answers.map(({ status }) => status);

	test("an experience that is being erased cannot be done, and its name is not copied into the activity log", async () => {
		const answers = await whileLocked(
			`update experiences set name = '(erased)', archived_at = 1 where id = '${id}'`,
			[doIt],
		);
		expect(statuses(answers)).toEqual([404]);
		expect(await rows("select 1 from activity_log")).toEqual([]);
		expect(await rows("select 1 from events where type = 'agent.did'")).toEqual([]);
	});

	test("only one of two concurrent commands `hide experience` succeeds, and `show experience` restores the experience", async () => {
		const answers = await whileLocked(
			`select 1 from experiences where id = '${id}' for update`,
			houses.all.map((context) => () => context.host("POST", `/experiences/${id}/hide`)),
		);
		expect(statuses(answers)).toEqual([200, 400]);
		await houses.at(0).byHost(`/experiences/${id}/show`);
		const { status } = await houses.at(1).call("GET", `/api/experiences/${id}`);
		expect(status).toBe(200);
	});

	test.each([
		["reactivate", true],
		["rename", false],
	])("`resort admin %s` is refused for an agent that is being erased", async (verb, isGone) => {
		if (isGone) await houses.at(0).byHost(`/agents/${ada.id}/deactivate`);
		const answers = await whileLocked(`select 1 from agents where id = '${ada.id}' for update`, [
			() => houses.at(0).host("POST", `/agents/${ada.id}/erase`),
			() => houses.at(1).host("POST", `/agents/${ada.id}/${verb}`, { name: "Another name" }),
		]);
		expect(statuses(answers)).toEqual([200, 400]);
		expect(
			await rows(`select name, deactivated_at is null as active from agents where id = '${ada.id}'`),
		).toMatchObject([{ name: "(erased)", active: false }]);
		const keys = `select 1 from api_keys where agent_id = '${ada.id}'`;
		expect(await rows(keys)).toEqual([]);
	});
});
