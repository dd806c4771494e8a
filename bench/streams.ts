/**
 * Opens many event streams in one process, over plain TCP connections, which need little processor time.
 *
 *     bun bench/streams.ts URL STREAMS
 *
 * Prints a line of JSON when all streams have begun. When stdin ends, prints a second line: how many streams
 * are open, and how many bytes of events all streams have received.
 */
const [url = "", streams = ""] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const request = `GET /api/events HTTP/1.1\r\nHost: ${hostname}\r\nAccept: text/event-stream\r\n\r\n`;

let open = 0;
let bytes = 0;

for (let at = 0; at < Number(streams); at++) {
	const begun = Promise.withResolvers<void>();
	await Bun.connect({
		hostname,
		port: Number(port),
		socket: {
			open: (socket) => {
				socket.write(request);
			},
			data(_, chunk) {
				bytes += chunk.length;
				begun.resolve();
			},
			close() {
				open--;
				begun.reject(new Error("a stream ended"));
			},
		},
	});
	await begun.promise;
	open++;
}
process.stdout.write(`${JSON.stringify({ open })}\n`);
bytes = 0;
await Bun.stdin.text();
process.stdout.write(`${JSON.stringify({ open, bytes })}\n`);
process.exit();

export {};
