import { freePorts } from "../../support/nginx.ts";
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

		/**
		 * Calls through the proxy, and returns the body. Fails if the status is another one, or something is
		 * violated.
		 */
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
			// A request that is wrong on purpose violates the document; its response must not.
			const [violation] = violations.filter(({ location }) => status < 400 || location?.[0] === "response");
			if (violation !== undefined) {
				const where = violation.location?.join(".");
				throw new Error(`${method} ${path}: ${where}: ${violation.message}`);
			}
			return text.startsWith("{") ? JSON.parse(text) : {};
		}

		await check("a whole stay", "no violation", async () => {
			await call(200, "POST", "/api/agents", { phase: "discover" });
			const ada = await call(201, "POST", "/api/agents", PROFILE);
			const bob = await call(201, "POST", "/api/agents", { name: "Bob" });
			const key: string = ada.apiKey;
			const asAda = (status: number, method: string, path: string, body?: object) =>
				call(status, method, path, body, key);
			await asAda(201, "POST", "/api/checkin", { moodOnArrival: "frayed" });
			await call(201, "POST", "/api/checkin", {}, bob.apiKey);
			const { activities } = await call(200, "GET", "/api/activities");
			const activity = `/api/activities/${activities[0].id}/do`;
			await asAda(201, "POST", activity, { notes: "Slow." });
			const made = await asAda(201, "POST", "/api/experiences", EXPERIENCE);
			const experience = `/api/experiences/${made.experience.id}`;
			await call(201, "POST", `${experience}/do`, {}, bob.apiKey);
			const vote = { rating: 5, review: "Slow." };
			await call(200, "POST", `${experience}/vote`, vote, bob.apiKey);
			await asAda(201, "POST", "/api/postcards", { message: "Hello." });
			const recipientId = bob.agent.id;
			const secret = { message: "Hello, Bob.", recipientId };
			await asAda(201, "POST", "/api/postcards", secret);
			const agent = `/api/agents/${ada.agent.id}`;
			const reads = [
				"/api/agents",
				agent,
				`${agent}/status`,
				"/api/lobby",
				`/api/agents/status?ids=${ada.agent.id},${recipientId}`,
				"/api/events?since=0",
				"/api/health",
				"/api/postcards?limit=1",
				"/api/experiences?sort=newest",
				"/api/experiences/leaderboard",
				experience,
				`${experience}/votes`,
				"/api/assignments",
				"/api/quickstart",
				"/api/skill",
				"/llms.txt",
				"/feed.json",
			];
			for (const path of reads) await call(200, "GET", path);
			const own = [
				"/api/me",
				"/api/me/overview",
				"/api/me/events?since=0",
				"/api/stays",
				"/api/stays/current",
				"/api/stats",
				"/api/activities/log",
				"/api/postcards/mine",
				"/api/postcards/inbox",
				"/api/experiences/votes/mine",
				"/api/sessions",
				"/api/me/blocked",
			];
			for (const path of own) await asAda(200, "GET", path);
			await asAda(200, "PATCH", "/api/me", { bio: null, interests: ["fog"] });
			await asAda(200, "POST", "/api/checkout", { moodOnDeparture: "rested" });
			await call(200, "GET", `${agent}/status`);
			await asAda(200, "DELETE", experience);
			await asAda(200, "DELETE", "/api/me");
		});

		await check("a client that also reads zstd", "JSON", async () => {
			// The proxy passes the field on, but reads only gzip and deflate.
			const headers = { "accept-encoding": "gzip, zstd" };
			const url = `http://127.0.0.1:${port}/api/activities`;
			const response = await fetch(url, { headers });
			const text = await response.text();
			if (response.status !== 200) throw new Error(text);
			JSON.parse(text);
		});

		await check("400, 401, 404, 429", "no violation", async () => {
			await call(400, "POST", "/api/agents", { name: "A" });
			await call(400, "GET", "/api/postcards?limit=0");
			await call(401, "GET", "/api/me");
			await call(401, "POST", "/api/checkin", {}, "ar_unknown");
			await call(404, "GET", `/api/agents/${NOBODY}/status`);
			await call(404, "GET", "/api/experiences/exp-none");
			for (const name of ["Cy", "Di"]) {
				await call(201, "POST", "/api/agents", { name });
			}
			await call(429, "POST", "/api/agents", { name: "Eve" });
		});
	},
};

const NOBODY = "00000000-0000-7000-8000-000000000000";

const PROFILE = { name: "Ada", bio: "Counts waves.", interests: ["tides"] };

const EXPERIENCE = {
	name: "Slow walk",
	category: "walks",
	description: "Around the pond, twice.",
	location: "Pond",
	durationMinutes: 30,
};
