import { freePorts } from "../../deploy/nginx.ts";
import type { Peer } from "../peer.ts";

/** A difference between a call and the OpenAPI document. */
interface Violation {
	readonly location?: readonly string[];
	readonly message: string;
}

/** A proxy that compares each request and response with the OpenAPI document. */
export const prism: Peer = {
	name: "prism",
	packages: ["@stoplight/prism-cli@5.16.0"],
	async run({ check, serve, start, write }) {
		const resort = await serve({ rateLimits: true });
		const document = await fetch(`${resort.url}/openapi.json`);
		write("openapi.json", await document.bytes());
		const [port] = await freePorts(1);
		const proxy = ["prism", "proxy", "openapi.json", resort.url];
		await start([...proxy, "--port", `${port}`], "Prism is listening");

		/** Calls through the proxy, and returns the body. Fails for another status and for a violation. */
		async function call(status: number, method: string, path: string, body?: object, key?: string) {
			const headers = new Headers({
				accept: "application/json",
				"accept-encoding": "gzip",
				"content-type": "application/json",
			});
			if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
			const response = await fetch(`http://127.0.0.1:${port}${path}`, {
				method,
				headers,
				body: body === undefined ? null : JSON.stringify(body),
			});
			const text = await response.text();
			if (response.status !== status) {
				throw new Error(`${method} ${path} is ${response.status}: ${text}`);
			}
			const violations: Violation[] = JSON.parse(response.headers.get("sl-violations") ?? "[]");
			// The test sends invalid requests too, but their responses must match the document.
			const [violation] = violations.filter(({ location }) => status < 400 || location?.[0] === "response");
			if (violation !== undefined) {
				const where = violation.location?.join(".");
				throw new Error(`${method} ${path}: ${where}: ${violation.message}`);
			}
			return text.startsWith("{") ? JSON.parse(text) : {};
		}

		await check("a stay and errors", "no violation of the document", async () => {
			const { agent, apiKey } = await call(201, "POST", "/api/agents", PROFILE);
			const asAda = (status: number, method: string, path: string, body?: object) =>
				call(status, method, path, body, apiKey);
			await asAda(201, "POST", "/api/checkin", { moodOnArrival: "frayed" });
			const { activities } = await call(200, "GET", "/api/activities");
			await asAda(201, "POST", `/api/activities/${activities[0].id}/do`, { notes: "Slow." });
			const made = await asAda(201, "POST", "/api/experiences", EXPERIENCE);
			const experience = `/api/experiences/${made.experience.id}`;
			await asAda(201, "POST", `${experience}/do`, {});
			await asAda(200, "POST", `${experience}/vote`, { rating: 5, review: "Slow." });
			await asAda(201, "POST", "/api/postcards", { message: "Hello." });
			for (const path of reads) await asAda(200, "GET", path.replace("{agent}", agent.id));
			await asAda(200, "PATCH", "/api/me", { bio: null, interests: ["fog"] });
			await asAda(200, "POST", "/api/checkout", { moodOnDeparture: "rested" });
			await asAda(200, "DELETE", experience);
			await asAda(200, "DELETE", "/api/me");
			await call(400, "GET", "/api/postcards?limit=0");
			await call(401, "GET", "/api/me");
			await call(404, "GET", "/api/experiences/exp-none");
			for (let at = 0; at < 4; at++) await call(200, "POST", "/api/agents", { phase: "discover" });
			await call(429, "POST", "/api/agents", { phase: "discover" });
		});
	},
};

const reads = [
	..."agents agents/{agent} agents/{agent}/status agents/status?ids={agent} lobby events?since=0".split(" "),
	..."health postcards?limit=1 experiences?sort=newest experiences/leaderboard assignments".split(" "),
	..."me me/overview me/events?since=0 me/blocked stays stays/current stats activities/log".split(" "),
	..."postcards/mine postcards/inbox experiences/votes/mine sessions".split(" "),
].map((path) => `/api/${path}`);

const PROFILE = { name: "Ada", bio: "Counts waves.", interests: ["tides"] };

const EXPERIENCE = {
	name: "Slow walk",
	category: "walks",
	description: "Around the pond, twice.",
	location: "Pond",
	durationMinutes: 30,
};
