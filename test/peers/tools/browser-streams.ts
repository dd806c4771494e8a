import { join } from "node:path";
import { openBrowser } from "../../features/pages/support/browser.ts";
import { resortAt } from "../../support/calls.ts";
import { testPeer } from "../peer.ts";

const START = `globalThis.received = [];
globalThis.opened = 0;
const url = new URLSearchParams(location.search).get("url");
`;

const EVENT_SOURCE = `const source = new EventSource(url);
source.onopen = () => opened++;
for (const type of ["agent.relaxing", "agent.available"]) {
	source.addEventListener(type, ({ lastEventId }) => received.push(type + " " + lastEventId));
}
`;

/**
 * Ways to read the event stream in a browser: libraries, and its own `EventSource`. Each `page` opens the
 * stream at `url`, adds the type and id of each event to `received`, and counts the connections in `opened`.
 */
const readers = {
	// Resumes with the header field Last-Event-ID, for which browsers send a preflight request.
	"fetch-event-source": {
		packages: ["@microsoft/fetch-event-source@2.0.1"],
		page: `import { fetchEventSource } from "@microsoft/fetch-event-source";

fetchEventSource(url, {
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
	// A handler that returns nothing lets the library reconnect after the delay that the server sent.
	onerror: (error) => console.error(String(error)),
});
`,
	},
	// Resumes with the query parameter lastEventId.
	"event-source-polyfill": {
		packages: ["event-source-polyfill@1.0.31"],
		page: `import { EventSourcePolyfill as EventSource } from "event-source-polyfill";

${EVENT_SOURCE}`,
	},
	"chromium-event-source": { packages: [], page: EVENT_SOURCE },
};

for (const [name, { packages, page: program }] of Object.entries(readers)) {
	testPeer(name, packages, async ({ folder, serve, write }) => {
		write("page.mjs", `${START}${program}`);
		const built = await Bun.build({ entrypoints: [join(folder, "page.mjs")], target: "browser" });
		const script = await built.outputs[0]?.text();
		const resort = await serve({ fixtures: { agents: [{ name: "Ada" }] } });
		using pages = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: () =>
				new Response(`<!doctype html><script type="module">${script}</script>`, {
					headers: { "content-type": "text/html" },
				}),
		});
		await using browsing = await openBrowser();
		const page = await browsing.context.newPage();
		const [key = ""] = Object.values(resort.keys);
		const ada = { id: "", key };
		/** Waits until an expression in the page is true. */
		const waitFor = (expression: string) => page.waitForFunction(expression, null, { timeout: 8_000 });

		// The page has another origin than the resort. After a cut, its stream continues after the last event.
		await page.goto(`${pages.url}?url=${encodeURIComponent(`${resort.url}/api/events`)}`);
		await waitFor("opened === 1");
		await resortAt(resort.url).checkIn(ada);
		await waitFor('received.join() === "agent.relaxing 1"');
		await resort.cutStreams();
		await resortAt(resort.url).checkOut(ada);
		await waitFor("opened === 2");
		await waitFor('received.join() === "agent.relaxing 1,agent.available 2"');
	});
}
