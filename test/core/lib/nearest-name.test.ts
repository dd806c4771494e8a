import { expect, test } from "bun:test";
import { withNearest } from "../../../src/core/lib/nearest-name.ts";

const known = ["--port", "--host", "--database", "--rate-limits"];

test("an unknown name is told with the nearest one, if one is near", () => {
	const names = [
		"--prot",
		"--hots",
		"--ports",
		"--databas",
		"--ratelimit",
		"--po",
		"--poxxx",
		"--rate-limits-now",
		"--rate-limits-soon",
		"--foo",
		"-p",
		"",
		"--database-of-the-resort",
	];
	const told = names.map((name) => withNearest(name, known));
	// To record it again, add --update-snapshots.
	expect(told).toMatchSnapshot();
});

test("a name is shown as asked, and compared as it is", () => {
	expect(withNearest("--prot", known, '"--prot"')).toBe('"--prot" (--port?)');
	expect(withNearest("--port", [], "that")).toBe("that");
});
