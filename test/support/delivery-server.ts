import { Delivery } from "../../src/http/delivery.ts";

/**
 * A server in a process of its own, whose memory a test looks at: `/shared` is one body for all, `/new` one of its
 * own for each request, `/memory` the resident bytes and how many bodies were asked for. Its first line tells the
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
		return delivery.respond(request, body, {}, "192.0.2.1");
	},
});
const delivery = new Delivery(server);
process.stdout.write(`${server.port}\n`);

function makeBody(): Blob {
	return new Blob([Buffer.alloc(BODY_BYTES, "resort")]);
}
