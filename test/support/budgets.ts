import { expect } from "bun:test";

/** The maximum size of a text or a file. */
interface Budget {
	readonly allowed: number;
	readonly unit: "tokens" | "bytes";
}

const KIB = 1024;

const tokens = (allowed: number): Budget => ({ allowed, unit: "tokens" });
const bytes = (allowed: number): Budget => ({ allowed, unit: "bytes" });

/**
 * The maximum sizes, in every registration mode, of the texts that agents read first and of other downloads.
 * `npm run budgets` prints the actual sizes. Raise a budget in a separate commit, with the reason.
 */
export const budgets = {
	"tools/list": tokens(2_000),
	"tools/list in bytes": bytes(8_000),
	"/api/skill": tokens(3_050),
	"/api/quickstart": tokens(690),
	"/heartbeat.md": tokens(200),
	"/llms.txt": tokens(620),
	"instructions of MCP": tokens(150),
	"instructions of MCP for an invalid key": tokens(180),
	"dist/resort": bytes(120 * KIB * KIB),
	"agent-resort.mjs": bytes(150 * KIB),
	"a full home page with gzip": bytes(30 * KIB),
} as const satisfies Readonly<Record<string, Budget>>;

/**
 * Prints a size and its budget, and fails if the size exceeds the budget.
 * @param how a description of the measured variant, such as the registration mode
 */
export function expectWithinBudget(name: keyof typeof budgets, used: number, how = ""): void {
	const { allowed, unit } = budgets[name];
	const line = `${name}${how && `, ${how}`}: ${used} of ${allowed} ${unit}`;
	process.stdout.write(`budget: ${line}\n`);
	const remedy = "shorten it, or raise the budget in test/support/budgets.ts; npm run budgets prints all";
	expect(used, `${line}: ${remedy}`).toBeLessThanOrEqual(allowed);
}
