import alerts from "../../deploy/alerts.yml" with { type: "text" };
import caddyfile from "../../deploy/Caddyfile" with { type: "text" };
import filter from "../../deploy/fail2ban-filter.conf" with { type: "text" };
import jail from "../../deploy/fail2ban-jail.conf" with { type: "text" };
import dashboard from "../../deploy/grafana-dashboard.json";
import nginx from "../../deploy/nginx.conf" with { type: "text" };
import nginxForSeveral from "../../deploy/nginx.postgres.conf" with { type: "text" };
import firewall from "../../deploy/resort.nft" with { type: "text" };
import unit from "../../deploy/resort.service" with { type: "text" };
import config from "../../deploy/resort.toml" with { type: "text" };
import backup from "../../deploy/resort-backup.service" with { type: "text" };
import backupTimer from "../../deploy/resort-backup.timer" with { type: "text" };
import containerBackup from "../../deploy/resort-backup-container.service" with { type: "text" };
import dumpBackup from "../../deploy/resort-backup-postgres.service" with { type: "text" };
import fixtures from "../../examples/fixtures.json";
import workflow from "../../examples/github-actions.yml" with { type: "text" };
import { print } from "../core/commands/print.ts";
import type { Command } from "../core/commands/resort-command.ts";
import { UsageError } from "../core/lib/start-error.ts";

/** The contents of the example files, or functions that load them, by file name. */
const examples: Readonly<Record<string, string | object | (() => Promise<string>)>> = {
	"resort.service": unit,
	"resort.toml": config,
	"resort-backup.service": backup,
	"resort-backup-container.service": containerBackup,
	"resort-backup-postgres.service": dumpBackup,
	"resort-backup.timer": backupTimer,
	"nginx.conf": nginx,
	"nginx.postgres.conf": nginxForSeveral,
	Caddyfile: caddyfile,
	"resort.nft": firewall,
	"grafana-dashboard.json": dashboard,
	"alerts.yml": alerts,
	"fail2ban-filter.conf": filter,
	"fail2ban-jail.conf": jail,
	"fixtures.json": fixtures,
	"github-actions.yml": workflow,
	"resort_testing.py": async () => (await import("../content/testing-python.ts")).testingPython,
};

/** The names of the examples. */
export const exampleNames: readonly string[] = Object.keys(examples);

/**
 * `resort example`: prints an example file. The executable contains the files, so nobody needs a copy of the
 * repository.
 */
export const example: Command = {
	summary: "Print an example configuration file",
	about: `FILE is one of: ${exampleNames.join(", ")}.`,
	words: "FILE",
	flags: {},
	async run({ words: [file = ""] }) {
		const example = Object.hasOwn(examples, file) ? examples[file] : undefined;
		const content = typeof example === "function" ? await example() : example;
		if (content === undefined) {
			throw new UsageError(`example ${JSON.stringify(file)}: must be ${exampleNames.join(", ")}`);
		}
		print(typeof content === "string" ? content : `${JSON.stringify(content, null, "\t")}\n`);
	},
};
