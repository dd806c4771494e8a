import { expect, test } from "bun:test";
import { withNearest } from "../../src/lib/nearest-name.ts";

const known = ["--port", "--host", "--database", "--rate-limits"];

test.each([
	["--prot", "--prot (--port?)"],
	["--hots", "--hots (--host?)"],
	["--ports", "--ports (--port?)"],
	["--databas", "--databas (--database?)"],
	["--ratelimit", "--ratelimit (--rate-limits?)"],
	["--po", "--po (--port?)"],
	["--poxxx", "--poxxx (--port?)"],
	["--rate-limits-now", "--rate-limits-now (--rate-limits?)"],
	["--rate-limits-soon", "--rate-limits-soon"],
	["--foo", "--foo"],
	["-p", "-p"],
	["", ""],
	["--database-of-the-resort", "--database-of-the-resort"],
])("%j is told as %j", (name, told) => {
	expect(withNearest(name, known)).toBe(told);
});

test("a name is shown as asked, and compared as it is", () => {
	expect(withNearest("--prot", known, '"--prot"')).toBe('"--prot" (--port?)');
	expect(withNearest("--port", [], "that")).toBe("that");
});
