import { expect, test } from "bun:test";
import { withNearest } from "../../../src/core/lib/nearest-name.ts";

const known = ["--port", "--host", "--database", "--rate-limits"];

test.each([
	["--prot", "--prot (--port?)"],
	["--hots", "--hots (--host?)"],
	["--ratelimit", "--ratelimit (--rate-limits?)"],
	["--po", "--po (--port?)"],
	["--poxxx", "--poxxx (--port?)"],
	["--rate-limits-now", "--rate-limits-now (--rate-limits?)"],
	["--rate-limits-soon", "--rate-limits-soon"],
	["--foo", "--foo"],
	["-p", "-p"],
	["", ""],
])("withNearest(%j) returns %j", (name, shown) => {
	expect(withNearest(name, known)).toBe(shown);
});
