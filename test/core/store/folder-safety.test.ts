import { expect, test } from "bun:test";
import { constants } from "node:fs";
import { mayOthersReplace } from "../../../src/core/store/sqlite/database-file.ts";

const ROOT = 0;
const ME = 1_000;
const OTHER = 1_001;

test.each<[user: number, verdict: "trusts" | "does not trust", owner: number, mode: string]>([
	[ME, "trusts", ME, "700"],
	[ME, "trusts", ME, "777"],
	[ME, "trusts", ROOT, "755"],
	[ME, "trusts", ROOT, "777"],
	[ME, "trusts", ROOT, "1777"],
	[ME, "trusts", OTHER, "755"],
	[ME, "trusts", OTHER, "1777"],
	[ME, "does not trust", OTHER, "720"],
	[ME, "does not trust", OTHER, "702"],
	[ME, "does not trust", OTHER, "775"],
	[ROOT, "trusts", OTHER, "777"],
	[ROOT, "trusts", ROOT, "777"],
])(
	"a resort that runs as user %d %s a database folder of user %d with the mode %s",
	(user, verdict, uid, mode) => {
		const status = { uid, mode: constants.S_IFDIR | Number.parseInt(mode, 8) };
		expect(mayOthersReplace(status, user)).toBe(verdict === "does not trust");
	},
);
