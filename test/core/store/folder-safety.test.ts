import { expect, test } from "bun:test";
import { mayOthersReplace } from "../../../src/core/store/sqlite/database-file.ts";

const ROOT = 0;
const ME = 1_000;
const OTHER = 1_001;

test.each<[user: number, owner: number, mode: number, mayReplace: boolean]>([
	[ME, ME, 0o40700, false],
	[ME, ME, 0o40777, false],
	[ME, ROOT, 0o40755, false],
	[ME, ROOT, 0o40777, false],
	[ME, ROOT, 0o41777, false],
	[ME, OTHER, 0o40755, false],
	[ME, OTHER, 0o41777, false],
	[ME, OTHER, 0o40720, true],
	[ME, OTHER, 0o40702, true],
	[ME, OTHER, 0o40775, true],
	[ROOT, OTHER, 0o40777, false],
	[ROOT, ROOT, 0o40777, false],
])(
	"user %d, in a folder of user %d with the mode %o: others may replace files: %p",
	(user, uid, mode, mayReplace) => {
		expect(mayOthersReplace({ uid, mode }, user)).toBe(mayReplace);
	},
);
