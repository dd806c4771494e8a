import type { Feature, Part } from "../core/commands/feature.ts";
import { createConfiguration } from "../core/config/config.ts";
import type { Values } from "../core/config/setting.ts";
import { type CoreSettings, coreSettings } from "../core/config/settings.ts";
import type { EndedDependents } from "../core/resort/service-context.ts";
import { type Engine, engineOf as findEngine } from "../core/store/engine.ts";
import type { PersonalTable } from "../core/store/personal-table.ts";
import { sqlite } from "../core/store/sqlite/sqlite-engine.ts";
import type { Store } from "../core/store/store.ts";
import type { Table } from "../core/store/table-queries.ts";
import type { Task } from "../core/store/task.ts";
import { admin } from "../features/admin/feature.ts";
import { documents } from "../features/documents/feature.ts";
import { identityProvider } from "../features/identity-provider/feature.ts";
import { mcp } from "../features/mcp/feature.ts";
import { metrics } from "../features/metrics/feature.ts";
import { pages } from "../features/pages/feature.ts";
import { postgres } from "../features/postgres/feature.ts";
import { testing } from "../features/testing/feature.ts";
import { webhooks } from "../features/webhooks/feature.ts";

/** All features. Help texts show their settings and commands in this order, after those of the core. */
const list = [postgres, documents, pages, webhooks, identityProvider, mcp, metrics, testing, admin] as const;

/** What all features add to the program. */
export const features: readonly Feature[] = list;

type Listed = (typeof list)[number];
type Intersection<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer All) => void
	? All
	: never;
type SettingsOf<F> = F extends { readonly settings: infer Own } ? Own : never;
/** The settings of the core and of all features. */
export type AllSettings = CoreSettings & Intersection<SettingsOf<Listed>>;
type EngineSetting = keyof Intersection<SettingsOf<Extract<Listed, { readonly engine: unknown }>>> &
	keyof AllSettings;

type SettingOfCommands = Extract<
	Listed,
	{ readonly settingsOfCommands: unknown }
>["settingsOfCommands"][number];

/** The values of all settings. */
export type Config = Values<AllSettings>;

const engines: readonly Engine<Pick<Config, EngineSetting>>[] = [
	sqlite,
	...features.flatMap(({ engine }) => engine ?? []),
];

/** Returns the engine for a value of `--database`, which may be invalid. */
export const engineOf = (database: string) => findEngine(engines, database);

/** The names of the features' settings that are read for commands that change an existing database. */
export const settingsOfCommands = features.flatMap(
	(one) => one.settingsOfCommands ?? [],
) as SettingOfCommands[];

/** Implements {@link ServiceContext.endDependents} for all features. */
export function* endDependentsOfAll(store: Store, agentId: string): Task<EndedDependents> {
	let ended: EndedDependents = { count: 0, hint: null };
	for (const feature of features) {
		const own = feature.endDependents === undefined ? null : yield* feature.endDependents(store, agentId);
		if (own !== null && own.count > 0) ended = { count: ended.count + own.count, hint: own.hint };
	}
	return ended;
}

/** Loads what the features add to an instance, in the order of {@link features}. */
export async function loadParts(config: Config): Promise<readonly Part[]> {
	return Promise.all(
		features.map((feature) => feature.load?.(config, { loadTables, loadPersonalTables }) ?? {}),
	);
}

/** The settings of the core and of all features. */
export const configuration = createConfiguration<AllSettings>(
	Object.assign({}, coreSettings(engines), ...features.map(({ settings }) => settings)),
	(config, given) => [
		[
			config.ephemeral && engineOf(config.database).hasServer,
			`--ephemeral keeps nothing: it cannot be combined with a --database that is ${engineOf(config.database).name}`,
		],
		...features.flatMap((feature) => feature.conflicts?.(config, given) ?? []),
		[config["exit-with-parent"] && !config.ephemeral, "--exit-with-parent requires --ephemeral"],
	],
	features.flatMap(({ variables = [] }) => variables),
);

/** Loads the tables of the core and of all features. */
export async function loadTables(): Promise<readonly Table[]> {
	const modules = [
		import("../core/store/tables.ts"),
		...features.map((feature) => feature.loadTables?.() ?? {}),
	];
	return (await Promise.all(modules)).flatMap((tables) => Object.values(tables));
}

/** Loads the descriptions of all tables in which features store data about agents. */
export async function loadPersonalTables(): Promise<readonly PersonalTable[]> {
	return (await Promise.all(features.map((feature) => feature.loadPersonalTables?.() ?? []))).flat();
}
