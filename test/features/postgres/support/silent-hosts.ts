/**
 * Starts a server that accepts connections but sends nothing. Its address is listed ten times, as in the
 * hosts of a URL.
 */
export function startSilentHosts() {
	const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
	const host = `127.0.0.1:${server.port}`;
	return { host, hosts: Array(10).fill(host).join(), [Symbol.dispose]: () => server.stop(true) };
}
