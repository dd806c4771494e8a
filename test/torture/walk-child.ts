/**
 * The application on a database file and a port, with a clock that each request sets: it is killed by
 * `walk-ground.ts`. Takes the file and the rules as JSON; says where it listens.
 */
import { TestResort } from "../support/resort.ts";
import { HOST_HEADER, NOW_HEADER } from "./walk-ground.ts";

// It is compiled as the program is, and from here on as eager as the program is later.
Bun.unsafe.setJITPolicy(1);

const [database = "", rules = "{}"] = process.argv.slice(2);
const resort = new TestResort({
	...JSON.parse(rules),
	database,
	// The peer that it takes for its own is one, so that the walk can name others.
	trustedProxies: ["192.0.2.1"],
});
const server = Bun.serve({
	hostname: "127.0.0.1",
	port: 0,
	fetch(request) {
		resort.nowMs = Number(request.headers.get(NOW_HEADER));
		return request.headers.has(HOST_HEADER)
			? answerHost(request)
			: resort.fetch(request);
	},
});

/** Answers as by the door of the administration. */
async function answerHost(request: Request): Promise<Response> {
	const { pathname, search } = new URL(request.url);
	const text = await request.text();
	const body = text === "" ? undefined : JSON.parse(text);
	const { method } = request;
	const answered = await resort.host(method, pathname + search, body);
	const { status, headers } = answered;
	return new Response(answered.text, { status, headers });
}

process.stdout.write(`${server.url.origin}\n`);
