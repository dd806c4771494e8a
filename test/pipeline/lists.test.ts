import {
	afterAll,
	afterEach,
	beforeEach,
	describe,
	expect,
	test,
} from "bun:test";
import { Type } from "@sinclair/typebox";
import { ResortError } from "../../src/lib/resort-error.ts";
import { LongLists } from "../../src/pipeline/long-lists.ts";
import { LongList } from "../../src/resort/reply.ts";
import { Answer } from "../../src/resort/schemas.ts";
import { SLICE } from "../../src/store/page.ts";
import { numbersTo, uuidOf } from "../support/engine.ts";
import { openTestStore, TestResort } from "../support/resort.ts";
import { rule } from "../support/store.ts";

const schema = Answer({ rows: Type.Array(Type.Integer()) });

const store = openTestStore();
afterAll(() => store.close());

const limited = () => new LongLists(store, () => 0, true);

/** A list of numbers that notes what is read of it, and in how many turns of the event loop. */
class Numbers {
	/** How many keys and rows have been read at a time. */
	readonly keysRead: number[] = [];
	readonly rowsRead: number[] = [];
	readonly turns = new Set<number>();
	/** What the database holds. */
	rows: number[];
	readonly list: LongList<number>;
	#turn = 0;

	constructor(count: number, passedOver = 0) {
		this.rows = Array.from({ length: count }, (_, at) => at);
		this.list = new LongList(
			(from, many) =>
				rule(() => {
					this.#note();
					const keys = this.rows.slice(from, from + many);
					this.keysRead.push(keys.length);
					return keys;
				})(),
			(keys) =>
				rule(() => {
					this.#note();
					this.rowsRead.push(keys.length);
					return keys;
				})(),
			passedOver,
		);
	}

	async renderBy(lists: LongLists, address: string): Promise<number[]> {
		const { list } = this;
		const body = await lists.render(schema, { rows: list }, () => address);
		return JSON.parse(await new Response(body.plain).text()).rows;
	}

	#note(): void {
		this.turns.add(this.#turn);
		setImmediate(() => {
			this.#turn++;
		});
	}
}

const refusal = async (answer: Promise<unknown>) => {
	const error = await answer.catch((thrown) => thrown);
	return error instanceof ResortError ? error.code : error;
};

describe("a list", () => {
	test.each([0, 1, 100, 101, 999, 1_000, 1_001, 5_500])(
		"of %d rows is read in slices, each in a turn of its own",
		async (count) => {
			const numbers = new Numbers(count);
			const rows = await numbers.renderBy(limited(), "a");
			expect(rows).toEqual(numbers.rows);
			expect(Math.max(0, ...numbers.rowsRead)).toBeLessThanOrEqual(SLICE);
			expect(Math.max(0, ...numbers.keysRead)).toBeLessThanOrEqual(1_001);
			const slices = Math.ceil(count / SLICE);
			expect(numbers.turns.size).toBeGreaterThanOrEqual(slices);
		},
	);

	test("is whole when rows come before it while its keys are read", async () => {
		const numbers = new Numbers(3_500);
		let isNew = true;
		const whole = new Numbers(0);
		const moving = new LongList((from, many) => {
			const keys = numbers.list.keys(from, many);
			if (from > 0 && isNew) {
				isNew = false;
				numbers.rows.unshift(-1);
			}
			return keys;
		}, numbers.list.read);
		Object.assign(whole, { list: moving });
		expect(await whole.renderBy(limited(), "a")).toEqual(numbers.rows);
	});

	test("that never stops moving is read in the end", async () => {
		const numbers = new Numbers(3_500);
		const moving = new LongList((from, many) => {
			numbers.rows.unshift(-numbers.rows.length);
			return numbers.list.keys(from, many);
		}, numbers.list.read);
		const whole = new Numbers(0);
		Object.assign(whole, { list: moving });
		const rows = await whole.renderBy(limited(), "a");
		expect(rows).toEqual(numbers.rows);
	});

	test("that fails leaves room for the next one", async () => {
		const lists = limited();
		const broken = new Numbers(2_000);
		const list = new LongList(broken.list.keys, () => {
			throw new Error("broken");
		});
		Object.assign(broken, { list });
		await expect(broken.renderBy(lists, "a")).rejects.toThrow("broken");
		expect(await new Numbers(2_000).renderBy(lists, "a")).toHaveLength(2_000);
	});
});

describe("a long list", () => {
	test("is made for one address twice a second, and more than 1,001 keys are read for no other", async () => {
		const lists = limited();
		for (const [address, ...expected] of [
			["a", undefined, undefined, "rate_limited", "rate_limited"],
			["b", undefined],
		]) {
			for (const code of expected) {
				const numbers = new Numbers(5_000);
				const made = numbers.renderBy(lists, address ?? "");
				if (code === undefined) {
					expect(await made).toHaveLength(5_000);
				} else {
					expect(await refusal(made)).toBe(code);
					expect(numbers.keysRead).toEqual([1_001]);
					expect(numbers.rowsRead).toEqual([]);
				}
			}
		}
	});

	test.each([
		[20_000, 4],
		[20_001, 2],
	])("as is a page behind %d rows: %d of 4", async (passedOver, made) => {
		const lists = limited();
		const codes: unknown[] = [];
		for (let at = 0; at < 4; at++) {
			const numbers = new Numbers(20, passedOver);
			codes.push(await refusal(numbers.renderBy(lists, "a")));
		}
		expect(codes.filter(Array.isArray)).toHaveLength(made);
	});

	test("does not wait with too many others", async () => {
		const lists = limited();
		const asked = Array.from({ length: 60 }, (_, at) =>
			refusal(new Numbers(1_001).renderBy(lists, `${at}`)),
		);
		const refused = (await Promise.all(asked)).filter(
			(one) => one === "rate_limited",
		);
		expect(refused).toHaveLength(10);
	});

	test("holds up no short one", async () => {
		const lists = limited();
		let isMade = false;
		const long = new Numbers(20_000).renderBy(lists, "a").then(() => {
			isMade = true;
		});
		await new Numbers(50).renderBy(lists, "b");
		expect(isMade).toBe(false);
		await long;
	});
});

describe("GET of a list", () => {
	let context: TestResort;
	beforeEach(() => {
		context = new TestResort({ rateLimits: true });
	});
	afterEach(() => context.close());

	/** In how many turns of the event loop it is answered. */
	async function turnsOf(asking: Promise<{ status: number }>): Promise<number> {
		let turns = 0;
		let isOver = false;
		const count = () => {
			turns++;
			if (!isOver) setImmediate(count);
		};
		setImmediate(count);
		expect((await asking).status).toBe(200);
		isOver = true;
		return turns;
	}

	const numbers = numbersTo(5_000);
	const uuid = uuidOf("i");

	test("of a caller's own is made in short stretches, and not too often", async () => {
		const { id, key } = await context.guest();
		const stay = (await context.ask("GET", "/api/stays/current", { key })).body
			.stay.id;
		await context.rows(
			`INSERT INTO stays (id, agent_id, room_type, room_number, checked_in_at, checked_out_at) ${numbers} SELECT ${uuid}, '${id}', 'Oasis Tent', 1, i, i FROM n`,
		);
		await context.rows(
			`INSERT INTO activity_log (id, stay_id, agent_id, activity_id, activity_name, activity_category, started_at, relaxation_points) ${numbers} SELECT ${uuid}, '${stay}', '${id}', 'tidepool-float', 'Float', 'water', i, 1 FROM n`,
		);
		await context.rows(
			`INSERT INTO postcards (id, stay_id, sender_id, recipient_id, message, created_at) ${numbers} SELECT ${uuid}, '${stay}', '${id}', '${id}', 'Calm', i FROM n`,
		);
		for (const path of [
			"/api/stays",
			"/api/activities/log",
			"/api/postcards/mine",
			"/api/postcards/inbox",
		]) {
			context.advance(1_000);
			const turns = await turnsOf(context.ask("GET", path, { key }));
			expect(turns, path).toBeGreaterThanOrEqual(50);
			const second = await context.ask("HEAD", path, { key });
			const third = await context.ask("GET", path, { key });
			const part = await context.ask("GET", `${path}?limit=100`, { key });
			expect([second.status, third.status, part.status]).toEqual([
				200, 429, 200,
			]);
		}
	}, 60_000);

	test("that is refused for one address is made for another one who asked meanwhile", async () => {
		const { id } = await context.guest();
		await context.rows(
			`INSERT INTO experiences (id, creator_id, name, category, category_key, description, location, duration_minutes, relaxation_points, created_at) ${numbers} SELECT 'exp-' || ${uuid}, '${id}', 'Tea', 'c', 'c', 'Something calm', 'Here', 1, 1, i FROM n`,
		);
		const ask = (offset: number, peer: string) =>
			context.ask("GET", `/api/experiences?offset=${offset}`, { peer });
		for (const offset of [1, 2]) await ask(offset, "192.0.2.7");
		const both = await Promise.all([ask(3, "192.0.2.7"), ask(3, "192.0.2.8")]);
		expect(both.map(({ status }) => status)).toEqual([429, 200]);
	}, 60_000);
});
