/** The entry point of the stand-alone command-line client, which runs on Node. scripts/client-package.ts bundles it. */
import { runGuest } from "./cli/guest-command.ts";

await runGuest(process.argv.slice(2), "agent-resort");
