/** The command-line client as a program of its own, for Node; see scripts/client-package.ts. */
import { runGuest } from "./cli/guest-command.ts";

await runGuest(process.argv.slice(2), "agent-resort");
