import { expect, test } from "bun:test";
import { constants } from "node:fs";
import { mayOthersReplace } from "../../../src/core/store/sqlite/database-file.ts";

const ROOT = 0;
const ME = 1_000;
const OTHER = 1_001;

test.each<[user: number, verdict: "may" | "may not", owner: number, mode: string]>([
	[ME, "may not", ME, "700"],
	[ME, "may not", ME, "777"],
	[ME, "may not", ROOT, "755"],
	[ME, "may not", ROOT, "777"],
	[ME, "may not", ROOT, "1777"],
	[ME, "may not", OTHER, "755"],
	[ME, "may not", OTHER, "1777"],
	[ME, "may", OTHER, "720"],
	[ME, "may", OTHER, "702"],
	[ME, "may", OTHER, "775"],
	[ROOT, "may not", OTHER, "777"],
	[ROOT, "may not", ROOT, "777"],
])(
	"for user %d, others %s replace files in a folder of user %d with the mode %s",
	(user, verdict, uid, mode) => {
		const status = { uid, mode: constants.S_IFDIR | Number.parseInt(mode, 8) };
		expect(mayOthersReplace(status, user)).toBe(verdict === "may");
	},
);
