import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { hashOf } from "../../src/answers/hash-index.ts";
import type {
	AnswerKind,
	KeptAnswer,
	Part,
} from "../../src/answers/kept-answer.ts";
import { PackedAnswers } from "../../src/answers/packed-answers.ts";
import { seededRandom } from "../../src/lib/seeded-random.ts";

const kindOf = (route: string): AnswerKind => ({
	route,
	headers: new Headers(),
	hasEtag: false,
	topic: null,
});

const kinds = [kindOf("/api/agents/:id"), kindOf("/api/agents/:id/status")];

/** An answer of which every field is one of its own. */
function answerOf(body: Part, number = 0): KeptAnswer & { body: Part } {
	const kind = kinds[number % kinds.length] ?? kindOf("");
	const untilMs = number % 3 === 0 ? Number.POSITIVE_INFINITY : number + 0.5;
	return { kind, body, version: 2 ** 40 + number, fromMs: -number, untilMs };
}

const MEBIBYTE = 2 ** 20;

describe("packed answers", () => {
	test("are given back as they were kept", () => {
		const packed = new PackedAnswers(MEBIBYTE);
		const given = [
			answerOf("", 1),
			answerOf('{"ok":true}', 2),
			answerOf(new TextEncoder().encode('{"name":"Zoë 🌊"}'), 3),
		];
		for (const [at, answer] of given.entries()) packed.keep(`/${at}`, answer);
		for (const [at, answer] of given.entries()) {
			expect(packed.find(`/${at}`)).toEqual(answer);
			expect(packed.find(`/${at}`)?.kind).toBe(answer.kind);
		}
		expect(packed.find("/")).toBeUndefined();
		expect(packed.find("/00")).toBeUndefined();
	});

	test("are what a map would hold, as far as it is not too old", () => {
		const { below } = seededRandom(11);
		const packed = new PackedAnswers(MEBIBYTE);
		const model = new Map<string, KeptAnswer>();
		let found = 0;
		for (let step = 0; step < 30_000; step++) {
			const target = `/api/agents/${below(step < 15_000 ? 6_000 : 100)}`;
			if (below(4) === 0) {
				packed.forget(target);
				model.delete(target);
			} else {
				const text = `${step}`.repeat(below(60));
				const body = below(3) === 0 ? new TextEncoder().encode(text) : text;
				const answer = answerOf(body, step);
				packed.keep(target, answer);
				model.set(target, answer);
				expect(packed.find(target)).toEqual(answer);
			}
			const other = `/api/agents/${below(6_000)}`;
			const kept = packed.find(other);
			if (kept !== undefined) {
				found++;
				expect(kept).toEqual(model.get(other) ?? { ...kept, body: "none" });
			}
		}
		expect(found).toBeGreaterThan(5_000);
		expect(packed.size).toBeLessThan(model.size);
	});

	test("are bounded: those that were kept first are forgotten", () => {
		const packed = new PackedAnswers(MEBIBYTE);
		const body = "x".repeat(400);
		for (let at = 0; at < 20_000; at++) {
			packed.keep(`/${at}`, answerOf(body, at));
			expect(packed.size * 400).toBeLessThan(MEBIBYTE);
		}
		const known = Array.from({ length: 20_000 }, (_, at) => `/${at}`).filter(
			(target) => packed.find(target) !== undefined,
		);
		expect(known).toHaveLength(packed.size);
		expect(known[0]).toBe(`/${20_000 - packed.size}`);
		expect(packed.size * 450).toBeGreaterThan(MEBIBYTE * (7 / 8));
	});

	test.each([
		["new", 0],
		["used up once", 5_000],
	])("kept again and again displace no others: memory %s", (_, before) => {
		const packed = new PackedAnswers(MEBIBYTE);
		const body = "x".repeat(400);
		for (let at = 0; at < before; at++) {
			packed.keep(`/before/${at}`, answerOf(body));
		}
		for (let at = 0; at < 500; at++) packed.keep(`/${at}`, answerOf(body, at));
		for (let at = 0; at < 50_000; at++) {
			packed.keep(`/busy/${at % 100}`, answerOf(body, at));
		}
		for (let at = 0; at < 500; at++) {
			expect(packed.find(`/${at}`)).toEqual(answerOf(body, at));
		}
	});

	test("are copies: what is written later does not alter them", () => {
		const packed = new PackedAnswers(MEBIBYTE);
		const bytes = new Uint8Array(100).fill(65);
		packed.keep("/text", answerOf("A".repeat(100)));
		packed.keep("/bytes", answerOf(bytes));
		const [text, copy] = [packed.find("/text"), packed.find("/bytes")];
		bytes.fill(66);
		for (let at = 0; at < 20_000; at++) {
			packed.keep(`/${at}`, answerOf("z".repeat(500)));
		}
		expect(text?.body).toBe("A".repeat(100));
		expect(copy?.body).toEqual(new Uint8Array(100).fill(65));
	});

	test("of targets with the same hash are told apart", () => {
		const byHash = new Map<number, string>();
		let pair: string[] = [];
		for (let at = 0; pair.length === 0; at++) {
			// Eight digits each, so that the lengths tell nothing.
			const target = `/${10_000_000 + at * 37}`;
			const other = byHash.get(hashOf(target));
			if (other !== undefined) pair = [other, target];
			byHash.set(hashOf(target), target);
		}
		const [one = "", two = ""] = pair;
		const packed = new PackedAnswers(MEBIBYTE);
		packed.keep(one, answerOf("one"));
		expect(packed.find(two)).toBeUndefined();
		packed.forget(two);
		packed.keep(two, answerOf("two"));
		expect([packed.find(one)?.body, packed.find(two)?.body]).toEqual([
			"one",
			"two",
		]);
		packed.forget(one);
		expect(packed.find(one)).toBeUndefined();
		expect(packed.find(two)?.body).toBe("two");
	});

	test.each([
		["a short target", "/", 1, true],
		["4 KiB in all", "/", 4_096 - 36 - 1, true],
		["a byte more", "/", 4_096 - 36, false],
		["a target of 255 characters", `/${"a".repeat(254)}`, 1, true],
		["one of 256", `/${"a".repeat(255)}`, 1, false],
		["one that is not ASCII", "/é", 1, false],
	])("with %s", (_, target, length, isTaken) => {
		const packed = new PackedAnswers(8 * MEBIBYTE);
		const answer = answerOf("x".repeat(length));
		expect(packed.takes(target, answer)).toBe(isTaken);
		if (isTaken) packed.keep(target, answer);
		expect(packed.find(target) !== undefined).toBe(isTaken);
		packed.forget(target);
		expect(packed.size).toBe(0);
	});

	test("take little more memory than those that are not forgotten", () => {
		const packed = new PackedAnswers(64 * MEBIBYTE);
		const body = "x".repeat(400);
		for (let at = 0; at < 20_000; at++) {
			packed.keep(`/${at}`, answerOf(body, at));
			if (at % 4 !== 0) packed.forget(`/${at}`);
		}
		expect(packed.size).toBe(5_000);
		for (let at = 0; at < 20_000; at += 4) {
			expect(packed.find(`/${at}`)).toEqual(answerOf(body, at));
		}
		expect(packed.bytes).toBeLessThanOrEqual(5 * MEBIBYTE);
		for (let at = 0; at < 50_000; at++) packed.keep("/busy", answerOf(body));
		expect(packed.bytes).toBeLessThanOrEqual(5 * MEBIBYTE);
	});

	test("are of 256 kinds at most", () => {
		const packed = new PackedAnswers(MEBIBYTE);
		const first = answerOf("first");
		packed.keep("/first", first);
		for (let number = 1; number < 256; number++) {
			const another = { ...first, kind: kindOf(`/${number}`) };
			expect(packed.takes(`/${number}`, another)).toBe(true);
			packed.keep(`/${number}`, another);
		}
		const { kind } = first;
		const one = { ...first, kind: kindOf("/one more") };
		expect(packed.takes("/one", one)).toBe(false);
		expect(packed.takes("/again", first)).toBe(true);
		expect(packed.find("/first")?.kind).toBe(kind);
		expect(packed.find("/255")?.kind.route).toBe("/255");
	});

	test("let no garbage gather once there are many", () => {
		// In a process of its own, as other tests leave so much garbage that it is collected anyway.
		const { stdout } = Bun.spawnSync([
			process.execPath,
			join(import.meta.dir, "../support/garbage.ts"),
		]);
		expect(Number(stdout.toString())).toBeLessThan(100);
	});

	test("take no body of which a part is drawn", () => {
		const body = { head: "", draw: () => "", tail: "", forms: new Map() };
		const drawn = { ...answerOf(""), body };
		expect(new PackedAnswers(MEBIBYTE).takes("/", drawn)).toBe(false);
	});
});
