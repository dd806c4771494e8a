/** A program that logs lines, and then fails in the way that its argument names. */

import { endOnFailure } from "../../src/core/commands/signals.ts";
import { openLog } from "../../src/core/server/log/log.ts";

const log = openLog("info", "json");
endOnFailure(log);
for (let line = 0; line < 1_000; line++) log.logger.info("before", { line });
if (process.argv[2] === "throw") {
	setTimeout(() => {
		throw new Error("broken");
	});
} else {
	Promise.reject(new Error("broken"));
}
