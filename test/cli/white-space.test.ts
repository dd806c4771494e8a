import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { useFreshFolder } from "../support/folder.ts";
import { look } from "../support/visit.ts";

const folder = useFreshFolder();

const SERVE = ["serve", "--port", "0"];

test("white space at the end of `--database` is ignored, so serve, restore and backup use the same file", async () => {
	const flags = ["--database", "resort.sqlite "];
	const id = await folder.visit();
	await folder.succeed(["backup", "first"]);
	const instance = await folder.serve(SERVE);
	const inUse = `${folder.file()} is in use`;
	const restore = ["restore", "first", ...flags];
	await folder.refuse([...SERVE, ...flags], inUse, 1);
	await folder.refuse(restore, inUse, 1);
	await instance.register();
	await instance.stop();
	await folder.succeed(["backup", "second", ...flags]);
	expect(look(folder.file("second")).ids.size).toBe(2);
	await folder.succeed(restore);
	expect([...look(folder.file()).ids]).toEqual([id]);
});

test("every command refuses a link as `--database` if the name of its target ends with white space", async () => {
	await folder.visit();
	await folder.succeed(["backup", "copy"]);
	mkdirSync(folder.file("data"));
	copyFileSync(folder.file(), folder.file("data/real.sqlite "));
	symlinkSync(folder.file("data/real.sqlite "), folder.file("link"));
	const at = ["--database", "link"];
	for (const args of [SERVE, ["admin", "agents"], ["restore", "copy"], ["backup", "new"]]) {
		await folder.refuse([...args, ...at], /real.sqlite " ends with white space/, 1);
	}
	expect(folder.names("data")).toEqual(["real.sqlite "]);
	const { checks } = await folder.doctor(at);
	expect(checks.database).toMatch(/^fail .*ends with white space/);
});
