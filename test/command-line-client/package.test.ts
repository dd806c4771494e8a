import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { packClient } from "../../scripts/client-package.ts";
import { catalogue } from "../../src/command-line-client/catalogue.ts";
import { operations } from "../../src/resort/operations.ts";
import { clientPackage, clientProgram } from "../support/client.ts";
import { TestResort } from "../support/resort.ts";
import { useServing } from "../support/use-serving.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";

const MAX_BYTES = 150 * 1024;

const folder = useTemporaryFolder();
const resort = useServing(["--ephemeral"], { cwd: folder.path });

describe("GET /client.tgz", () => {
	test("is the package as it was built, and not compressed once more", async () => {
		const answer = await fetch(`${resort.url}/client.tgz`);
		expect(answer.status).toBe(200);
		expect(answer.headers.get("content-type")).toBe("application/gzip");
		expect(answer.headers.get("content-encoding")).toBeNull();
		const bytes = Buffer.from(await answer.arrayBuffer());
		expect(bytes.equals(readFileSync(clientPackage))).toBe(true);
	});

	test("is there from the sources too, with the same bytes each time", async () => {
		const packed = packClient();
		expect(packClient()).toBe(packed);
		expect(readFileSync(clientPackage, "base64")).toBe(packed);
		await using context = new TestResort();
		const { status, headers } = await context.ask("GET", "/client.tgz");
		expect(status).toBe(200);
		expect(headers.get("content-type")).toBe("application/gzip");
	});
});

test("the program is one small file that needs no other", () => {
	const list = Bun.spawnSync(["tar", "tzf", clientPackage]).stdout.toString();
	expect(list.trim().split("\n")).toEqual([
		"package/package.json",
		"package/agent-resort.mjs",
		"package/testing.mjs",
		"package/testing.cjs",
		"package/testing.d.ts",
		"package/testing.d.cts",
	]);
	const packed = ["tar", "xzfO", clientPackage, "package/agent-resort.mjs"];
	const text = Bun.spawnSync(packed).stdout.toString();
	expect(readFileSync(clientProgram, "utf8")).toBe(text);
	expect(text.length).toBeLessThan(MAX_BYTES);
	const imported = [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(
		([, name]) => name,
	);
	expect(imported.filter((name) => !name?.startsWith("node:"))).toEqual([]);
	const manifest = ["tar", "xzfO", clientPackage, "package/package.json"];
	const json = Bun.spawnSync(manifest).stdout.toString();
	expect(Object.keys(JSON.parse(json))).not.toContain("dependencies");
});

test("the client knows every operation, and every field of each", () => {
	expect(catalogue.map(({ id }) => id)).toEqual(operations.map(({ id }) => id));
	for (const [at, { fields }] of catalogue.entries()) {
		const { path, query, body } = operations[at] ?? {};
		const names = [
			...(path?.match(/(?<=:)\w+/g) ?? []),
			...Object.keys(query?.properties ?? {}),
			...Object.keys(body?.properties ?? {}),
		];
		expect(fields.map(({ name }) => name)).toEqual(names);
	}
});
