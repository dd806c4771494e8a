/**
 * Runs the tests that measure the budgets in `test/support/budgets.ts`, and prints what is used and allowed.
 */
import { $ } from "bun";
import { root } from "./compile.ts";

const measured = $`git grep -l --untracked expectWithinBudget -- ${"test/*.test.ts"}`;
const files = (await measured.cwd(root).text()).trim();
const { exitCode, stdout, stderr } = await $`bun test --timeout 60000 ${files.split("\n")}`
	.cwd(root)
	.quiet()
	.nothrow();

const lines = `${stdout}`.split("\n").filter((line) => line.startsWith("budget: "));
const failures = `${stderr}`.split("\n").filter((line) => line.startsWith("(fail)"));
process.stdout.write(`${[...new Set([...lines.sort(), ...failures])].join("\n")}\n`);
process.exit(exitCode);
