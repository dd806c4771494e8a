import caddyfile from "../../deploy/Caddyfile" with { type: "text" };
import filter from "../../deploy/fail2ban-filter.conf" with { type: "text" };
import jail from "../../deploy/fail2ban-jail.conf" with { type: "text" };
import nginx from "../../deploy/nginx.conf" with { type: "text" };
import firewall from "../../deploy/resort.nft" with { type: "text" };
import unit from "../../deploy/resort.service" with { type: "text" };
import config from "../../deploy/resort.toml" with { type: "text" };
import backup from "../../deploy/resort-backup.service" with { type: "text" };
import backupTimer from "../../deploy/resort-backup.timer" with { type: "text" };
import containerBackup from "../../deploy/resort-backup-container.service" with { type: "text" };
import type { Examples } from "../core/commands/feature.ts";
import { print } from "../core/commands/print.ts";
import type { Command } from "../core/commands/resort-command.ts";
import { UsageError } from "../core/lib/start-error.ts";
import { features } from "./features.ts";

const own: Examples = {
	"resort.service": unit,
	"resort.toml": config,
	"resort-backup.service": backup,
	"resort-backup-container.service": containerBackup,
	"resort-backup.timer": backupTimer,
	"nginx.conf": nginx,
	Caddyfile: caddyfile,
	"resort.nft": firewall,
	"fail2ban-filter.conf": filter,
	"fail2ban-jail.conf": jail,
};

/** Loads the examples of the core and of all features. */
export async function loadExamples(): Promise<Examples> {
	return Object.assign({}, own, ...(await Promise.all(features.map((feature) => feature.loadExamples?.()))));
}

/** Creates `resort example`, which prints an example file that the executable contains. */
export async function createExample(): Promise<Command> {
	const examples = await loadExamples();
	const names = Object.keys(examples).join(", ");
	return {
		summary: "Print an example configuration file",
		about: `FILE is one of: ${names}.`,
		words: "FILE",
		flags: {},
		async run({ words: [file = ""] }) {
			const example = Object.hasOwn(examples, file) ? examples[file] : undefined;
			const content = typeof example === "function" ? await example() : example;
			if (content === undefined) throw new UsageError(`example ${JSON.stringify(file)}: must be ${names}`);
			print(typeof content === "string" ? content : `${JSON.stringify(content, null, "\t")}\n`);
		},
	};
}
