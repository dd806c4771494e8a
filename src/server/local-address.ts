/** Hosts that mean every address of the machine, and the one to reach them at. */
const everywhere = new Map([
	["0.0.0.0", "127.0.0.1"],
	["::", "::1"],
]);

/** Returns the address at which a program on this machine reaches a server that listens on a host. */
export function localAddress(host: string, port: number): string {
	const reachable = everywhere.get(host) ?? host;
	return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
