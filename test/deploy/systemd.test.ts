import { describe, expect } from "bun:test";
import { join } from "node:path";
import { executable, temporaryFolder } from "../support/executable.ts";
import { runTool, testWith } from "../support/tools.ts";

const unit = join(import.meta.dir, "../../deploy/resort.service");

/** In tenths of the level that systemd tells, from 0 (nothing) to 100 (everything). */
const MAX_EXPOSURE = 20;

describe("deploy/resort.service", () => {
	testWith(["systemd-analyze"], "is a unit without a warning", async () => {
		using folder = temporaryFolder();
		const text = await Bun.file(unit).text();
		const path = join(folder.path, "resort.service");
		// The program is not installed on the machine that runs the tests.
		await Bun.write(path, text.replace("/usr/local/bin/resort", executable));
		const { exitCode, output } = await runTool("systemd-analyze", [
			"verify",
			"--man=no",
			"--recursive-errors=no",
			path,
		]);
		expect(output).toBe("");
		expect(exitCode).toBe(0);
	});

	testWith(["systemd-analyze"], "exposes little of the machine", async () => {
		const { exitCode, output } = await runTool("systemd-analyze", [
			"security",
			"--offline=yes",
			`--threshold=${MAX_EXPOSURE}`,
			unit,
		]);
		expect(output).toContain("Overall exposure level for resort.service");
		expect(exitCode).toBe(0);
	});
});
