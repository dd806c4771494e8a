import { join } from "node:path";
import { openBrowser } from "../../support/browser.ts";
import type { Peer } from "../peer.ts";

/** Keeps in `received` what the stream delivers: each event's type and id. */
const PAGE = `import { fetchEventSource } from "@microsoft/fetch-event-source";

globalThis.received = [];
globalThis.opened = 0;
fetchEventSource(new URLSearchParams(location.search).get("url"), {
	openWhenHidden: true,
	async onopen(response) {
		if (!response.ok) throw new Error("status " + response.status);
		opened++;
	},
	onmessage: ({ event, id }) => {
		if (id !== "" && event !== "") received.push(event + " " + id);
	},
	onclose: () => {
		throw new Error("closed");
	},
	// Returns nothing: the stream is opened again after the time that the server sent.
	onerror: (error) => console.error(String(error)),
});
`;

/** Reads event streams with \`fetch\`. It resumes with the header \`Last-Event-ID\`, for which browsers ask in advance. */
export const fetchEventSource: Peer = {
	name: "fetch-event-source",
	packages: ["@microsoft/fetch-event-source@2.0.1"],
	async run({ check, folder, serve, write }) {
		write("page.mjs", PAGE);
		const built = await Bun.build({
			entrypoints: [join(folder, "page.mjs")],
			target: "browser",
		});
		const script = await built.outputs[0]?.text();
		const resort = await serve({ fixtures: { agents: [{ name: "Ada" }] } });
		using pages = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: ({ url }) =>
				new URL(url).pathname === "/page.js"
					? new Response(script, {
							headers: { "content-type": "text/javascript" },
						})
					: new Response(
							"<!doctype html><script type=module src=page.js></script>",
							{
								headers: { "content-type": "text/html" },
							},
						),
		});
		await using browsing = await openBrowser();
		const page = await browsing.context.newPage();
		const messages: string[] = [];
		page.on("console", (message) => messages.push(message.text()));
		const act = (path: string) =>
			fetch(`${resort.url}/api/${path}`, {
				method: "POST",
				headers: { authorization: `Bearer ${Object.values(resort.keys)[0]}` },
			});
		/** Waits until an expression of the page is true. */
		const waitFor = async (expression: string) => {
			try {
				await page.waitForFunction(expression, null, { timeout: 8_000 });
			} catch {
				const received = await page.evaluate("received.join()");
				const told = messages.join("; ");
				throw new Error(`not so: ${expression}; received ${received}; ${told}`);
			}
		};
		const stream = encodeURIComponent(`${resort.url}/api/events`);

		await check("a page of another origin", "opens the stream", async () => {
			await page.goto(`${pages.url}?url=${stream}`);
			await waitFor("opened === 1");
			await act("checkin");
			await waitFor('received.join() === "agent.relaxing 1"');
		});
		await check(
			"the stream is cut, an event follows",
			"resumes after the last event",
			async () => {
				await resort.cutStreams();
				await act("checkout");
				await waitFor("opened === 2");
				await waitFor(
					'received.join() === "agent.relaxing 1,agent.available 2"',
				);
			},
		);
		await browsing.browser.close();
	},
};
