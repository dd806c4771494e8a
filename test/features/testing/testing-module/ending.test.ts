import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startResort } from "../../../../src/features/testing/testing-module/start-resort.ts";
import { executable } from "../../../support/executable.ts";
import { TemporaryFolder } from "../../../support/folder.ts";
import { until } from "../../../support/until.ts";
import { answers } from "./project.ts";

test("await using and stop() stop a resort within 2 seconds", async () => {
	let url = "";
	{
		await using used = await startResort({ executable });
		url = used.url;
		expect(await answers(url)).toBe(true);
	}
	expect(await answers(url)).toBe(false);
	const resort = await startResort({ executable });
	expect(await answers(resort.url)).toBe(true);
	const startedAt = performance.now();
	await Promise.all([resort.stop(), resort.stop()]);
	expect(performance.now() - startedAt).toBeLessThan(2_000);
	expect(await answers(resort.url)).toBe(false);
	await resort.stop();
});

test("a call of a resort that has ended or was stopped is rejected with the reason", async () => {
	using folder = new TemporaryFolder();
	const own = join(folder.path, "resort");
	const pid = join(folder.path, "pid");
	const script = `#!/bin/sh\necho $$ >${pid}\nexec ${executable} "$@"\n`;
	writeFileSync(own, script, { mode: 0o700 });
	for (const [signal, how] of [
		["SIGKILL", "SIGKILL"],
		["SIGTERM", "0"],
	] as const) {
		const resort = await startResort({ executable: own });
		process.kill(Number(readFileSync(pid, "utf8")), signal);
		await until(async () => !(await answers(resort.url)));
		const given = resort.fault({ operation: "getLobby", status: 500 });
		await expect(given).rejects.toThrow(`resort ended (${how})`);
		await resort.stop();
		await expect(resort.reset()).rejects.toThrow("resort was stopped");
	}
});
