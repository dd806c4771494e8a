import { expect, test } from "bun:test";
import { ROWS_PER_CHANGE } from "../../../src/features/admin/change-rows.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { MARK, marked } from "./traces.ts";

/**
 * The number of rows in each table. Every second row is about the agent, so that an erasure needs several
 * transactions.
 */
const ROWS = 2 * ROWS_PER_CHANGE + 1;

const context = useResort();
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });

/** Inserts {@link ROWS} rows. `values` may contain `n`, the number of the row. */
const fill = (table: string, columns: string, values: string) =>
	context.rows(
		`with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${ROWS - 1}) insert into ${table} (${columns}) select ${values} from numbers`,
	);

test("resort admin erase overwrites more rows of an agent than one transaction can change, and no rows of other agents", async () => {
	const { id } = await context.create(ada, { name: marked("bath") });
	const other = await context.create(bob, { name: "Plain bath" });
	const [stay] = await context.rows(`select id from stays where agent_id = '${bob.id}'`);
	await fill(
		"activity_log",
		"id, stay_id, agent_id, experience_id, activity_name, activity_category, started_at, notes, relaxation_points",
		`'l' || n, '${stay?.id}', '${bob.id}', case when n % 2 = 0 then '${id}' else '${other.id}' end, case when n % 2 = 0 then '${MARK}' else 'Plain' end, 'water', n, 'Of Bob', 1`,
	);
	await fill(
		"events",
		"type, at, agent_id, subject_id, creator_id, details",
		`'agent.did', n, '${bob.id}', case when n % 2 = 0 then '${id}' else '${other.id}' end, case when n % 2 = 0 then '${ada.id}' else '${bob.id}' end, case when n % 2 = 0 then '{"activityId":null,"name":"${MARK}","category":"${MARK}","relaxationPoints":3}' else '{"name":"Plain"}' end`,
	);
	await context.byHost(`/agents/${ada.id}/erase`);
	expect((await context.dump()).includes(MARK)).toBe(false);
	const counted = async (question: string) =>
		Number((await context.rows(`select count(*) as n from ${question}`))[0]?.n);
	const erased = ROWS_PER_CHANGE + 1;
	for (const [question, count] of [
		["activity_log where activity_name = '(erased)'", erased],
		["activity_log where activity_name = 'Plain'", ROWS - erased],
		["activity_log where notes = 'Of Bob'", ROWS],
		[
			`events where details = '{"activityId":null,"name":"(erased)","category":"(erased)","relaxationPoints":3}'`,
			erased,
		],
		[`events where details = '{"name":"Plain"}'`, ROWS - erased],
	] as const) {
		expect(await counted(question), question).toBe(count);
	}
}, 60_000);
