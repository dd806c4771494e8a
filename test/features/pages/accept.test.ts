import { describe, expect, test } from "bun:test";
import { TestResort } from "../../support/resort.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { BROWSER, textIn } from "./support/visitor.ts";

const resort = useResort({ shared: true });
const plain = useResort({ shared: true, page: false });
const ada = useGuest(resort, { name: "Ada" });

const CHROME =
	"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";

const clients: readonly (readonly [form: keyof typeof types, client: string, accept: string | null])[] = [
	["HTML", "Chrome", CHROME],
	["HTML", "Firefox and Safari", BROWSER],
	["HTML", "Lynx", "text/html, text/plain, text/css, application/xhtml+xml, */*;q=0.01"],
	["HTML", "a client that prefers HTML to JSON", "application/json;q=0.5, text/html;q=0.6"],
	["JSON", "curl, fetch and bots, which accept */*", "*/*"],
	["JSON", "axios", "application/json, text/plain, */*"],
	["JSON", "the default client of Go, which sends no Accept field", null],
	["JSON", "a client that accepts text/*", "text/*"],
	["JSON", "a client that prefers JSON to HTML", "text/html;q=0.5, application/json"],
	["JSON", "a client that accepts HTML and JSON equally", "text/html, application/json"],
	["JSON", "a client that prefers application/* to HTML", "text/html;q=0.9, application/*"],
	["JSON", "a client whose Accept field allows no media type", "text/html;q=0, */*;q=0"],
	["JSON", "a client with an empty Accept field", ""],
	[
		"JSON",
		"a client that accepts anything and has Markdown as its second choice",
		"text/markdown;q=0.5, */*",
	],
	["HTML", "a client that prefers HTML to Markdown", "text/html;q=0.8, text/markdown;q=0.7, */*;q=0.1"],
	["Markdown", "an agent that accepts Markdown only", "text/markdown"],
	["Markdown", "a client that accepts HTML and Markdown equally", "text/html, text/markdown"],
	["Markdown", "a client that accepts Markdown and JSON equally", "text/markdown, application/json"],
	["Markdown", "a client that prefers Markdown to JSON", "application/json;q=0.1, Text/Markdown;q=0.2"],
];

const types = {
	HTML: "text/html; charset=utf-8",
	JSON: "application/json",
	Markdown: "text/markdown; charset=utf-8",
};

const get = (path: string, accept: string | null, more = {}, of = resort) =>
	of.call("GET", path, { headers: { ...(accept !== null && { accept }), ...more } });

describe("GET /", () => {
	test.each(clients)("returns %s to %s", async (form, _, accept) => {
		const { status, headers } = await get("/", accept);
		expect(status).toBe(200);
		expect(headers.get("content-type")).toBe(types[form]);
		expect(headers.get("vary")?.split(", ")).toContain("Accept");
		expect(headers.get("access-control-allow-origin")).toBe("*");
	});

	test("returns the same JSON to programs and, with `--page off`, also to browsers", async () => {
		const answers = [
			await get("/", "*/*"),
			await get("/", "*/*", {}, plain),
			await get("/", BROWSER, {}, plain),
		];
		const [first, ...others] = answers.map(({ headers, text }) => {
			headers.delete("x-request-id");
			return [text, ...headers];
		});
		for (const other of others) expect(other).toEqual(first ?? []);
	});
});

test("pages except the home page are HTML even if the Accept field is `*/*`, `application/json` or absent", async () => {
	for (const path of [`/agents/${ada.id}`, "/board", "/experiences", "/docs"]) {
		for (const accept of [BROWSER, "*/*", "application/json", null]) {
			const { status, headers } = await get(path, accept);
			expect(status).toBe(200);
			expect(headers.get("content-type")).toBe(types.HTML);
		}
	}
});

describe.each([
	["/", "/llms.txt"],
	["/docs", "/skill.md"],
])("the Markdown returned by GET %s", (path, same) => {
	test(`is the text of ${same}, even with \`--page off\``, async () => {
		for (const of of [resort, plain]) {
			const { headers, text } = await get(path, "text/markdown, text/html, */*", {}, of);
			const file = await get(same, null, {}, of);
			expect(headers.get("content-type")).toBe(types.Markdown);
			expect(text).toBe(file.text);
			expect(headers.get("link")).toBe(file.headers.get("link"));
		}
	});

	test("has an ETag other than that of the HTML, and HEAD returns it too", async () => {
		const etags = new Set<string | null>();
		for (const accept of ["text/markdown", BROWSER, "*/*", "text/markdown", BROWSER]) {
			const full = await get(path, accept);
			const etag = full.headers.get("etag") ?? "";
			const isMarkdown = full.headers.get("content-type") === types.Markdown;
			expect(isMarkdown).toBe(accept === "text/markdown");
			etags.add(etag);
			const known = await get(path, accept, { "if-none-match": etag });
			expect(known.status).toBe(304);
			const head = await resort.call("HEAD", path, { headers: { accept } });
			for (const name of ["etag", "vary", "link"]) {
				expect(known.headers.get(name)).toBe(full.headers.get(name));
				expect(head.headers.get(name)).toBe(full.headers.get(name));
			}
			expect(head.headers.get("content-type")).toBe(full.headers.get("content-type"));
		}
		expect(etags.size).toBe(path === "/" ? 3 : 2);
	});
});

test.each<[what: string, status: number, path: string]>([
	["an unknown path", 404, "/nothing"],
	["an unknown agent", 404, "/agents/019f0000-0000-7000-8000-000000000000"],
	["page 0 of /board", 400, "/board?page=0"],
	["the unknown path /apiary", 404, "/apiary"],
	["a path with invalid percent-encoding", 404, "/agents/%zz"],
])("GET of %s returns status %i, with a page to browsers and JSON to programs", async (_, status, path) => {
	const page = await get(path, BROWSER);
	expect(page.status).toBe(status);
	expect(page.headers.get("content-type")).toBe(types.HTML);
	expect(page.headers.get("cache-control")).toBe("no-store");
	expect(page.headers.get("content-security-policy")).toContain("'none'");
	expect(page.text).not.toContain('rel="canonical"');
	expect(page.text).not.toContain('aria-current="page"');
	const json = await get(path, "*/*");
	expect(json.status).toBe(status);
	expect(json.headers.get("content-type")).toBe(types.JSON);
	expect(json.body.error).toMatch(/./);
	expect(page.headers.get("vary")).toBe("Accept, Accept-Encoding");
	expect(json.headers.get("vary")).toBe("Accept");
});

test.each(["/api/nothing", "/api?x", "/api/experiences?limit=0"])(
	"GET %s returns an error in JSON, even to browsers",
	async (path) => {
		const { status, headers, body } = await get(path, BROWSER);
		expect(status).toBeGreaterThanOrEqual(400);
		expect(headers.get("content-type")).toBe(types.JSON);
		expect(body.error).toMatch(/./);
	},
);

test("an unexpected failure is logged with the request id, and returns a page with status 500 and no details", async () => {
	await using broken = new TestResort();
	await broken.rows("ALTER TABLE postcards RENAME COLUMN message TO gone");
	const page = await get("/board", BROWSER, {}, broken);
	expect(page.status).toBe(500);
	expect(page.headers.get("content-type")).toBe(types.HTML);
	expect(page.text).toContain("Something went wrong");
	expect(textIn(page.text, "main")).not.toMatch(/sql|column|message/i);
	const ids = broken.log.map(({ properties }) => properties.requestId);
	expect(ids).toEqual([page.headers.get("x-request-id")]);
	expect((await get("/board", "*/*", {}, broken)).text).toBe('{"error":"Internal error"}');
	await broken.rows("ALTER TABLE postcards RENAME COLUMN gone TO message");
});
