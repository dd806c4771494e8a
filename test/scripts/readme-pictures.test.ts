import { expect } from "bun:test";
import { join } from "node:path";
import { browserTools } from "../support/browser.ts";
import { root } from "../support/documents.ts";
import { endOf, temporaryFolder } from "../support/executable.ts";
import { testWith } from "../support/tools.ts";
import { parseXml } from "../support/xml.ts";

const PNG = [0x89, 0x50, 0x4e, 0x47];

testWith(
	[...browserTools, "script"],
	"npm run pictures photographs the page and records a stay",
	async () => {
		using folder = temporaryFolder();
		const child = Bun.spawn(
			[process.execPath, "run", "pictures", folder.path],
			{ cwd: root, stdout: "pipe", stderr: "pipe" },
		);
		const { exitCode, stderr } = await endOf(child);
		expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
		for (const name of ["house-light.png", "house-dark.png"]) {
			const bytes = await Bun.file(join(folder.path, name)).bytes();
			expect([...bytes.slice(0, 4)]).toEqual(PNG);
			expect(bytes.length).toBeGreaterThan(10_000);
		}
		const stay = await Bun.file(join(folder.path, "stay.svg")).text();
		expect(parseXml(stay).name).toBe("svg");
		expect(stay).toContain("Ada is available for work.");
		expect(stay).not.toMatch(/ar_[0-9A-Za-z]{12}_/);
	},
	60_000,
);
