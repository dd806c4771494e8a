/** Logs lines, and then throws an uncaught exception (argument `throw`) or has an unhandled rejection. */

import { endOnFailure } from "../../src/core/commands/signals.ts";
import { openLog } from "../../src/core/server/log/log.ts";

const log = openLog("info", "json");
endOnFailure(log);
for (let line = 0; line < 1_000; line++) log.logger.info("before", { line });
const fail = () => {
	throw new Error("broken");
};
if (process.argv[2] === "throw") setTimeout(fail);
else Promise.resolve().then(fail);
