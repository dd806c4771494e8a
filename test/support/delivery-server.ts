import { UnreadResponses } from "../../src/http/unread-responses.ts";

/**
 * A server in a process of its own, whose memory a test measures: `/shared` is one body for all requests, `/new` one of
 * its own for each request, `/memory` the resident bytes and the number of requests for bodies. Its first line is the
 * port.
 */
const BODY_BYTES = 10_000_000;
const shared = makeBody();
let asked = 0;
const server = Bun.serve({
	hostname: "127.0.0.1",
	port: 0,
	development: false,
	fetch(request): Response {
		const { pathname } = new URL(request.url);
		if (pathname === "/memory") {
			Bun.gc(true);
			return Response.json({ bytes: process.memoryUsage.rss(), asked });
		}
		asked++;
		const body = pathname === "/shared" ? shared : makeBody();
		const init = { status: 200, headers: {} };
		return unread.create(request, body, init, "192.0.2.1");
	},
});
const unread = new UnreadResponses(server);
process.stdout.write(`${server.port}\n`);

function makeBody(): Blob {
	return new Blob([Buffer.alloc(BODY_BYTES, "resort")]);
}
