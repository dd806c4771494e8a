/** Stops one of two instances while a forked process runs, prints how long that took, and kills itself. */
import { fork } from "node:child_process";
import { startResort } from "agent-resort/testing";

if (process.argv[2] === "child") {
	setTimeout(() => {}, 60_000);
	process.send("ready");
	process.disconnect();
} else {
	const [one, other] = [await startResort(), await startResort()];
	const child = fork("forking.mjs", ["child"], { stdio: "inherit", detached: true });
	await new Promise((resolve) => child.once("message", resolve));
	const startedAt = performance.now();
	await one.stop();
	const told = { url: other.url, child: child.pid, stopMs: performance.now() - startedAt };
	process.stdout.write(`${JSON.stringify(told)}\n`);
	setTimeout(() => process.kill(process.pid, "SIGKILL"), 100);
}
