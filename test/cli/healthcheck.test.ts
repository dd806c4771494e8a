import { describe, expect, test } from "bun:test";
import { executable } from "../support/executable.ts";
import { useFreshFolder } from "../support/folder.ts";
import { testUnless, toolPath } from "../support/tools.ts";

/**
 * Returns the beginning of a command, to which the caller appends a line of bash. The line runs in a
 * separate network namespace with only a loopback device.
 * @param setUp a shell command that configures the network
 */
function alone(setUp: string): readonly string[] {
	const run = `export PATH=/usr/sbin:/usr/bin:/sbin:/bin; ip link set lo up && ${setUp} && exec /bin/bash -c "$@"`;
	return [toolPath("unshare") ?? "unshare", "-rn", "/bin/bash", "-c", run, "-"];
}

/** Kinds of networks, each with the shell command that sets it up. */
const networks = {
	"if IPv6 is off": "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6",
	"if only IPv6 is on": "ip address del 127.0.0.1/8 dev lo",
	"if IPv4 and IPv6 are on": "true",
} as const;

/** Returns why this machine cannot run a program in a separate network namespace; false if it can. */
function whyNotAlone(): string | false {
	if (toolPath("unshare") === null) return "needs unshare: apt-get install util-linux";
	if (toolPath("ip") === null) return "needs ip: apt-get install iproute2";
	const { exitCode } = Bun.spawnSync([...alone(networks["if IPv6 is off"]), "true"]);
	return exitCode !== 0 && "may not create a network";
}

const folder = useFreshFolder();

test("`resort healthcheck` refuses a URL with a password, and does not print the password", async () => {
	const args = ["healthcheck", "--url", "http://ada:hunter2@127.0.0.1:1"];
	const stderr = await folder.refuse(args, '--url "http://(hidden)@127.0.0.1:1": must be', 2);
	expect(stderr).not.toContain("hunter2");
});

describe("`resort healthcheck --wait`", () => {
	test("exits with 0 as soon as an instance that starts later is healthy", async () => {
		const asked = Promise.withResolvers<void>();
		// At first, another server has the port of the instance. The first request stops that server.
		const fetch = () => {
			asked.resolve();
			return new Response("not yet", { status: 503 });
		};
		const before = Bun.serve({ port: 0, fetch });
		const env = { RESORT_PORT: `${before.port}` };
		const healthy = folder.succeed(["healthcheck", "--wait", "60"], { env });
		await asked.promise;
		await before.stop(true);
		const resort = await folder.serve(["--ephemeral"], { env });
		expect(await healthy).toBe("");
		await resort.stop();
	});

	test("calls a failing instance again until the given time is over, and then exits with 1", async () => {
		let asked = 0;
		using sick = Bun.serve({ port: 0, fetch: () => new Response(String(asked++), { status: 503 }) });
		const args = ["healthcheck", "--wait", "1", "--url", sick.url.origin];
		await folder.refuse(args, /returned 503\n$/, 1);
		expect(asked).toBeGreaterThan(1);
	});

	test("exits with 1 after the given time if the instance does not respond", async () => {
		using mute = Bun.serve({ port: 0, fetch: () => new Promise(() => {}) });
		const startedAt = performance.now();
		const args = ["healthcheck", "--wait", "1", "--url", mute.url.origin];
		expect((await folder.run(args)).exitCode).toBe(1);
		expect(performance.now() - startedAt).toBeLessThan(4_000);
	});
});

describe("resort healthcheck", () => {
	test("exits with 0 for a healthy instance, and with 1 after it has stopped", async () => {
		const resort = await folder.serve(["--ephemeral"]);
		const byUrl = ["healthcheck", "--url", resort.url];
		await folder.succeed(byUrl);
		await folder.succeed(["healthcheck"], { env: { RESORT_PORT: `${resort.port}` } });
		await resort.stop();
		await folder.refuse(byUrl, /does not respond \(\w+\)\n$/, 1);
	});

	test.each(["hello", { ok: true, status: "sick" }, { ok: false, status: "healthy" }])(
		"exits with 1 if another program responds with `%j`",
		async (answer) => {
			using other = Bun.serve({ port: 0, fetch: () => Response.json(answer) });
			await folder.refuse(["healthcheck", "--url", other.url.origin], "is not a resort", 1);
		},
	);
});

/** A shell script: starts an instance, and prints its ready line and the results of healthcheck and doctor. */
const ASK = `
	exec 3< <(exec "$0" serve --port 4100 --metrics --metrics-host "$RESORT_HOST" --metrics-port 4101)
	read -r ready <&3; echo "$ready"
	"$0" healthcheck --port 4100; echo "healthcheck $?"
	"$0" doctor --port 4100 | grep " instance "
	kill $!; wait $!`;

describe("healthcheck and doctor", () => {
	const missing = whyNotAlone();
	for (const [network, host, address] of [
		["if IPv6 is off", "::", "127.0.0.1"],
		["if IPv6 is off", "0.0.0.0", "127.0.0.1"],
		["if IPv6 is off", "localhost", "localhost"],
		["if IPv6 is off", "::ffff:127.0.0.1", "[::ffff:127.0.0.1]"],
		["if only IPv6 is on", "0:0:0:0:0:0:0:0", "[::1]"],
		["if IPv4 and IPv6 are on", "::", "127.0.0.1"],
	] as const) {
		testUnless(missing, `reach an instance with \`--host ${host}\` at ${address} ${network}`, async () => {
			const { stdout, stderr } = await folder.run([executable], {
				program: [...alone(networks[network]), ASK],
				env: { RESORT_HOST: host },
			});
			const [ready = "", ...others] = stdout.trimEnd().split("\n");
			expect(JSON.parse(ready).url).toBe(`http://${address}:4100`);
			expect(stderr).toContain(`"metrics":"http://${address}:4101/metrics"`);
			expect(others).toEqual(["healthcheck 0", expect.stringMatching(/^ok .*:4100, \d/)]);
		});
	}
});
