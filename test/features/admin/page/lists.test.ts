import { describe, expect, test } from "bun:test";
import { useGuest, useResort } from "../../../support/use-resort.ts";
import { textIn } from "../../pages/support/visitor.ts";
import { formsIn, mainIn, useHost } from "./host-browser.ts";

const HOSTILE = `"><img src=x onerror=pwned=1><script>pwned=1</script>`;

const resort = useResort({ adminPage: true, baseUrl: "https://resort.example/spa" });
const ada = useGuest(resort, { name: HOSTILE, bio: HOSTILE });
const host = useHost(resort);

const write = (message: string) => resort.sendPostcard(ada, { message });

/** Returns the texts of the items of a list. */
function itemsIn(markup: string): string[] {
	return [...markup.matchAll(/<p class="said" dir="auto">([^<]*)<\/p>/g)].map(([, text = ""]) => text);
}

/** Returns the notes beside the authors in a list, for example `public`. */
function notesIn(markup: string): string[] {
	return [...markup.matchAll(/ · <bdi class="name">([^<]*)<\/bdi>/g)].map(([, note = ""]) => note);
}

describe("the lists on the host's page (/admin)", () => {
	test("escape HTML in the texts of guests", async () => {
		const { id } = await resort.create(ada, { name: HOSTILE, description: HOSTILE });
		await resort.complete(ada, id);
		await write(HOSTILE);
		const bob = await resort.guest({ name: "Bob" });
		await resort.complete(bob, id);
		await resort.vote(bob, id, 1, HOSTILE);
		await host.change({ change: "hide", kind: "agent", id: ada.id });
		const search = encodeURIComponent(HOSTILE);
		const found = [`agents?search=${search}`, `postcards?search=${search}&by=${ada.id}`];
		const lists = "agents postcards experiences reviews hidden history".split(" ");
		for (const path of [...lists, `agents/${ada.id}`, ...found]) {
			const { status, text } = await host.open(`/${path}`);
			expect(status, path).toBe(200);
			expect(text, path).toContain("&lt;script&gt;pwned=1");
			expect(text, path).not.toMatch(/<img src=x|<script>pwned/);
		}
		const question = await host.send("/change", { change: "hide", kind: "experience", id });
		const report = await host.change({ change: "check-out", id: ada.id });
		for (const { text } of [question, report]) {
			expect(text).toContain("&lt;script&gt;pwned=1");
			expect(text).not.toMatch(/<img src=x|<script>pwned/);
		}
	});

	test("show the recipient of a postcard, and the experience that a review rates", async () => {
		const bob = await resort.guest({ name: "Bob" });
		await write("to all");
		await resort.sendPostcard(ada, { message: "to one", recipientId: bob.id });
		const { id } = await resort.create(ada, { name: "Fog swim" });
		await resort.complete(bob, id);
		await resort.vote(bob, id, 2, "Wet");
		const { text } = await host.open("/postcards");
		expect(notesIn(text)).toEqual(["private, to Bob", "public"]);
		expect(notesIn((await host.open("/reviews")).text)).toEqual(["2 of 5 for Fog swim"]);
		await host.change({ change: "hide", kind: "agent", id: ada.id });
		expect(notesIn((await host.open("/hidden")).text)).toEqual(["private, to Bob", "public"]);
	});

	test("show and find the mood and place of a postcard, and the category and place of an experience", async () => {
		await resort.sendPostcard(ada, { message: "Hello", mood: "moodzorb", location: "loczorb" });
		await write("Bye");
		await resort.create(ada, {
			name: "Fog swim",
			description: "Cold and wet",
			category: "catzorb",
			location: "bayzorb",
		});
		const card = "Hello · moodzorb · loczorb";
		expect(itemsIn((await host.open("/postcards")).text)).toEqual(["Bye", card]);
		for (const word of ["hello", "moodzorb", "LOCZORB"]) {
			expect(itemsIn((await host.open(`/postcards?search=${word}`)).text)).toEqual([card]);
		}
		for (const word of ["fog", "catzorb", "BAYZORB"]) {
			const { text } = await host.open(`/experiences?search=${word}`);
			expect(itemsIn(text)).toEqual(["Fog swim: Cold and wet · catzorb · bayzorb"]);
		}
	});

	test("have 50 entries on each page, newest first", async () => {
		for (let number = 1; number <= 51; number++) await write(`card ${number}`);
		const first = await host.open("/postcards");
		expect(itemsIn(first.text)).toEqual(Array.from({ length: 50 }, (_, at) => `card ${51 - at}`));
		expect(first.text).toContain("1 to 50 of 51");
		expect(first.text).not.toContain(">Newer</a>");
		const [, next = ""] = /<a href="\/spa\/admin([^"]*)">Older/.exec(first.text) ?? [];
		const last = await host.open(next.replaceAll("&amp;", "&"));
		expect(itemsIn(last.text)).toEqual(["card 1"]);
		expect(last.text).toContain(">Newer</a>");
		expect(last.text).not.toContain(">Older</a>");
	});

	test("have 50 hidden texts or 50 invitations on each page", async () => {
		for (let number = 1; number <= 51; number++) await write(`card ${number}`);
		await host.change({ change: "hide", kind: "agent", id: ada.id });
		const first = await host.open("/hidden");
		const cards = Array.from({ length: 51 }, (_, at) => `card ${51 - at}`);
		expect(itemsIn(first.text)).toHaveLength(50);
		// The first entry is the hidden agent itself.
		expect(itemsIn(first.text).slice(1)).toEqual(cards.slice(0, 49));
		expect(first.text).toContain("1 to 50 of 52");
		expect(itemsIn((await host.open("/hidden?offset=50")).text)).toEqual(cards.slice(49));
		for (let number = 1; number <= 51; number++) await resort.byHost("/invites", {});
		const { text } = await host.open("/invites");
		expect(text).toContain("1 to 50 of 51");
		expect(text).toContain("Anyone can register now, without a code.");
		expect(formsIn((await host.open("/invites?offset=50")).text)).toHaveLength(2);
	});

	test("can be searched, and keep the search in the links to further pages", async () => {
		for (let number = 1; number <= 51; number++) await write(`Even ${number % 2 === 0}`);
		const { text } = await host.open("/postcards?search=EVEN%20TRUE&limit=1000");
		expect(text).toContain("1 to 25 of 25");
		const all = await host.open("/postcards?search=even");
		expect(all.text).toContain("search=even&amp;offset=50");
		expect((await host.open("/agents?search=nobody")).text).toContain("None found.");
		const vain = await host.open("/postcards?search=nobody");
		expect(vain.text).toContain('<a href="/spa/admin/agents?search=nobody">agents named');
	});

	test("refuse invalid query parameters with an error that names no flag and no command", async () => {
		for (const query of ["offset=-1", "offset=x", "by=nobody"]) {
			const { status, text } = await host.open(`/postcards?${query}`);
			expect([400, 404]).toContain(status);
			expect(mainIn(text)).not.toMatch(/--|resort admin/);
		}
		expect(mainIn((await host.open("/postcards?by=nobody")).text)).toContain("/admin/agents lists the ids.");
	});

	test("show all agents, or only those with the status relaxing", async () => {
		await resort.register({ name: "Bob" });
		const { text } = await host.open("/agents");
		expect(text).toContain("1 to 2 of 2");
		const relaxing = await host.open("/agents?relaxing=on");
		expect(relaxing.text).toContain("1 to 1 of 1");
		expect(relaxing.text).not.toContain("Bob");
	});

	test("link to the pages of agents, and all their links begin with the path of the base URL", async () => {
		await write("one");
		for (const path of ["/agents", "/postcards"]) {
			expect((await host.open(path)).text).toContain(`href="/spa/admin/agents/${ada.id}"`);
		}
		const { text } = await host.open(`/agents/${ada.id}`);
		for (const [, target = ""] of text.matchAll(/ (?:href|action)="(\/[^"]*)"/g)) {
			expect(target).toStartWith("/spa/");
		}
		expect(textIn(text, "h1")).toContain("&lt;script&gt;");
		// A name may have 100 emoji, which are 200 of the units that browsers count.
		expect(mainIn(text)).not.toContain("maxlength");
	});
});

const LIST = "/spa/admin/postcards";

test.each([
	[
		"the list and the search in the Referer",
		"",
		`https://resort.example${LIST}?search=one`,
		`${LIST}?search=one`,
	],
	["all postcards if the Referer is no list", "", "https://resort.example/spa/admin/change", LIST],
	["all postcards if the Referer is outside /admin", "", "https://resort.example/agents", LIST],
	["all postcards if the Referer is not a URL", "", "nonsense", LIST],
	["all postcards if the form field `from` begins with two slashes", "//evil.example", "", LIST],
	["all postcards if the form field `from` leads out of /admin", "/../agents", "", LIST],
	["all postcards if the form field `from` has a backslash", "/\\evil.example", "", LIST],
	["all postcards if the form field `from` has quotes", '/x"onclick="', "", LIST],
	["all postcards if the form field `from` is a URL", "https://evil.example", "", LIST],
])(
	"after a change of a postcard, the host's page (/admin) links back to %s",
	async (_, place, referer, list) => {
		await write("one");
		const [hide = {}] = formsIn((await host.open("/postcards")).text);
		const fields = { ...hide, ...(place !== "" && { from: place }) };
		const { text } = await host.change(fields, { headers: { referer } });
		expect(/href="([^"]*)">Back to the list/.exec(text)?.[1]).toBe(list);
	},
);

test("the host's page (/admin) shows the number of refused API calls, without refused requests to the page itself", async () => {
	await host.open("/nothing");
	await resort.call("GET", "/api/nothing");
	expect((await host.open()).text).toContain("It has refused 1 since its start.");
});
