import { beforeAll, describe, expect, test } from "bun:test";
import { useSharedCommunity } from "../support/use-resort.ts";
import { BROWSER } from "../support/visitor.ts";

const resort = useSharedCommunity();
let experience: string;
beforeAll(async () => {
	const ada = await resort.guest({ name: "Ada" });
	experience = (await resort.create(ada)).id;
	for (let card = 0; card < 101; card++) {
		await resort.send(ada, { message: `Card ${card}.` });
	}
});

const get = (path: string) =>
	resort.ask("GET", path, { headers: { accept: BROWSER } });

/** The numbers of the postcards on a page, and where it leads. */
async function board(path: string) {
	const { text } = await get(path);
	const links = text.matchAll(/<a href="([^"]*)" rel="(prev|next)">/g);
	return {
		cards: [...text.matchAll(/Card (\d+)\./g)].map(([, card]) => Number(card)),
		links: Object.fromEntries([...links].map(([, to, rel]) => [rel, to])),
	};
}

const down = (from: number, to: number) =>
	Array.from({ length: from - to + 1 }, (_, at) => from - at);

describe("/board", () => {
	test("has 50 postcards a page, and leads to the pages beside it", async () => {
		expect(await board("/board")).toEqual({
			cards: down(100, 51),
			links: { next: "/board?page=2" },
		});
		expect(await board("/board?page=2")).toEqual({
			cards: down(50, 1),
			links: { prev: "/board", next: "/board?page=3" },
		});
		expect(await board("/board?page=3")).toEqual({
			cards: [0],
			links: { prev: "/board?page=2" },
		});
	});

	test("is there, and empty, behind its last page", async () => {
		const { status, text } = await get("/board?page=4");
		expect(status).toBe(200);
		expect(text).toContain("There are no older postcards.");
	});
});

const pages = () => ["/board", "/experiences", `/experiences/${experience}`];

test.each([
	["0", 400],
	["1", 200],
	["600", 200],
	["601", 400],
	["-1", 400],
	["1.5", 400],
	["x", 400],
])("page=%s is %i", async (page, status) => {
	for (const path of pages()) {
		expect((await get(`${path}?page=${page}`)).status, path).toBe(status);
	}
});
