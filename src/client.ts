/** The command-line client as a program of its own, for Node; see scripts/client-package.ts. */
import { guest } from "./cli/guest.ts";

await guest(process.argv.slice(2), "agent-resort");
