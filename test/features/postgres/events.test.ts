import { expect, test } from "bun:test";
import { describeOnPostgres } from "../../support/requirements.ts";
import { type Connection, connectTo, openDatabase } from "./support/shared.ts";

const insert = "insert into events (type, at, agent_id) values ('t', 1, 'a') returning id";

const insertInto = async ({ query }: Connection) => Number((await query(insert))[0]?.id);

const horizon = async ({ query }: Connection) => Number((await query("select event_horizon() as id"))[0]?.id);

async function readAfter(connection: Connection, last: number) {
	const end = await horizon(connection);
	const rows = await connection.query(`select id from events where id > ${last} and id < ${end} order by id`);
	return rows.map(({ id }) => Number(id));
}

describeOnPostgres("the SQL function event_horizon()", () => {
	test.each<[ids: string, start: number]>([
		["of at most 32 bits", 0],
		["of more than 32 bits", 5 * 2 ** 32],
	])("lies before the first event of an open transaction (event ids %s)", async (_, start) => {
		await using reader = await openDatabase();
		await using slow = connectTo(reader.url);
		await using quick = connectTo(reader.url);
		await reader.query(`select setval('event_ids', ${start + 1})`);
		expect(await insertInto(quick)).toBe(start + 2);
		await slow.query("begin");
		expect(await insertInto(slow)).toBe(start + 3);
		expect(await insertInto(quick)).toBe(start + 4);
		expect(await readAfter(reader, start)).toEqual([start + 2]);
		expect(await insertInto(slow)).toBe(start + 5);
		expect(await readAfter(reader, start + 2)).toEqual([]);
		await slow.query("commit");
		expect(await readAfter(reader, start + 2)).toEqual([start + 3, start + 4, start + 5]);
	});

	test("ignores locks in other databases and locks for other purposes", async () => {
		await using reader = await openDatabase();
		await using elsewhere = await openDatabase();
		await insertInto(reader);
		await elsewhere.query("begin");
		await insertInto(elsewhere);
		await reader.query("begin");
		await reader.query("select pg_advisory_xact_lock(0), pg_advisory_xact_lock(29285 << 16, 0)");
		expect(await horizon(reader)).toBe(2);
		await reader.query("commit");
		await elsewhere.query("commit");
	});

	test("lets a reader see every committed event of 8 concurrent writers", async () => {
		await using reader = await openDatabase();
		const writers = Array.from({ length: 8 }, async (_, writer) => {
			await using connection = connectTo(reader.url);
			for (let count = 0; count < 40; count++) {
				const fate = (count + writer) % 5 === 0 ? "rollback" : "commit";
				await connection.query("begin");
				await connection.query(insert);
				await connection.query("select pg_sleep(random() * 0.004)");
				await connection.query(insert);
				await connection.query(fate);
			}
		});
		let isOver = false;
		const all = Promise.all(writers).then(() => {
			isOver = true;
		});
		const read: number[] = [];
		for (let isLast = false; !isLast; ) {
			isLast = isOver;
			read.push(...(await readAfter(reader, read.at(-1) ?? 0)));
		}
		await all;
		const rows = await reader.query("select id from events order by id");
		expect(read).toEqual(rows.map(({ id }) => Number(id)));
		expect(read.length).toBe(8 * 32 * 2);
	});
});
