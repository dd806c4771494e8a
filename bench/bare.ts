/** A bare server with a constant answer of a status's size: what the runtime can do at all. */
const status = JSON.stringify({
	ok: true,
	status: "available",
	agent: { id: "019cd79e-4600-76be-9ae5-dc67cb169343", name: "Guest 1" },
	message: "Guest 1 is available for work.",
});
const headers = { "content-type": "application/json" };

const server = Bun.serve({
	port: 0,
	hostname: "127.0.0.1",
	development: false,
	fetch: () => new Response(status, { headers }),
});
process.stdout.write(`${JSON.stringify({ url: server.url.origin })}\n`);
