import { toolPath } from "./tools.ts";

/**
 * Returns a command prefix that runs a line of bash in a network of its own, in which only the loopback
 * device exists.
 * @param setUp what the network is like, as a line of a shell
 */
export function alone(setUp: string): readonly string[] {
	const run = `export PATH=/usr/sbin:/usr/bin:/sbin:/bin; ip link set lo up && ${setUp} && exec /bin/bash -c "$@"`;
	return [toolPath("unshare") ?? "unshare", "-rn", "/bin/bash", "-c", run, "-"];
}

/** Kinds of networks, each with the line that sets it up. */
export const networks = {
	"where IPv6 is off": "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6",
	"where only IPv6 is on": "ip address del 127.0.0.1/8 dev lo",
	"where both are on": "true",
} as const;

/** What is missing to give a program a network of its own; false if nothing is. */
export function whyNotAlone(): string | false {
	for (const [tool, debian] of [
		["unshare", "util-linux"],
		["ip", "iproute2"],
	] as const) {
		if (toolPath(tool) === null) return `needs ${tool}: apt-get install ${debian}`;
	}
	const { exitCode } = Bun.spawnSync([...alone(networks["where IPv6 is off"]), "true"]);
	return exitCode !== 0 && "may not create a network";
}
