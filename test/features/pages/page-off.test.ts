import { beforeAll, describe, expect, test } from "bun:test";
import { expectFailure } from "../../support/answers.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { BROWSER, Visitor } from "./support/visitor.ts";

const resort = useResort({ shared: true, page: false, securityContact: "mailto:security@resort.test" });
const ada = useGuest(resort, { name: "Ada" });
let experience: string;
beforeAll(async () => {
	experience = (await resort.create(ada)).id;
	await resort.sendPostcard(ada);
});

const get = (path: string, accept = BROWSER) => resort.call("GET", path, { headers: { accept } });

const statusOf = async (address: string) => {
	const { pathname, search } = new URL(address, "http://resort.test");
	return (await get(pathname + search, "*/*")).status;
};

describe("a resort with `--page off`", () => {
	test("returns 404 in JSON for every page and form", async () => {
		for (const path of [
			"/board",
			"/me",
			`/agents/${ada.id}`,
			`/experiences/${experience}`,
			"/nothing",
			"/sitemap.xml",
		]) {
			expectFailure(await get(path), 404, path);
			expectFailure(await get(path, "*/*"), 404, path);
		}
		expectFailure(await new Visitor(resort).send("/me/sign-in", { apiKey: ada.key }), 404);
	});

	test.each([
		["/docs", "text/html; charset=utf-8"],
		["/feed.json", "application/feed+json"],
		["/feed.atom", "application/atom+xml"],
		["/robots.txt", "text/plain"],
		["/favicon.svg", "image/svg+xml"],
		["/favicon.ico", "image/x-icon"],
		["/social.png", "image/png"],
		["/apple-touch-icon.png", "image/png"],
		["/manifest.webmanifest", "application/manifest+json"],
		["/.well-known/security.txt", "text/plain"],
		["/agents/ID/badge.svg", "image/svg+xml"],
		["/agents/ID/badge.json", "application/json"],
	])("serves %s", async (path, type) => {
		const { status, headers } = await get(path.replace("ID", ada.id));
		expect(status).toBe(200);
		expect(headers.get("content-type")).toStartWith(type);
	});

	test.each(["/docs", "/feed.json", "/feed.atom", "/"])(
		"serves %s without links to missing pages",
		async (path) => {
			const { text } = await get(path);
			const links =
				path === "/docs"
					? text.match(/(?<= href=")[^"#][^"]*/g)
					: text.match(/http:\/\/resort\.test[^\s"<>\\]*/g);
			expect(links?.length).toBeGreaterThan(2);
			for (const link of new Set(links)) expect(await statusOf(link), link).toBe(200);
		},
	);
});
