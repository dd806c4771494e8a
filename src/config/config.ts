import type { Environment } from "../lib/environment.ts";
import { isLoopback } from "../lib/ip-address.ts";
import { StartError } from "../lib/start-error.ts";
import { engineOf, engines } from "../store/engines.ts";
import {
	type Flags,
	openSources,
	refusal,
	type Sources,
} from "./setting-sources.ts";
import { type Setting, type SettingName, settings } from "./settings.ts";

const allNames = Object.keys(settings) as SettingName[];

/** The value of every setting; null if it is not given and has no preset. */
export type Config = {
	readonly [Name in SettingName]:
		| Exclude<ReturnType<(typeof settings)[Name]["read"]>, undefined>
		| ((typeof settings)[Name] extends { preset: string } ? never : null);
};

/**
 * Reads the settings: a flag, a variable, the file of a variable, the configuration file, the preset.
 * @throws StartError with exit code 2 that names the setting, its value and what is allowed
 */
export function readConfig(flags: Flags, environment: Environment): Config {
	return describeConfig(flags, environment).config;
}

/** Reads some settings and ignores the values of the others. @throws StartError as {@link readConfig} */
export function readSettings<Name extends SettingName>(
	names: readonly Name[],
	flags: Flags,
	environment: Environment,
): Pick<Config, Name> {
	return readFrom(openSources(flags, environment), names);
}

/** A setting and its source. */
interface SettingInForce {
	readonly name: string;
	/** Its text without a password: `(hidden)` for a secret, null if there is none. */
	readonly text: string | null;
	/** The flag, the variable, or the file and key; null if it is not given. */
	readonly from: string | null;
}

/** Reads the settings, and returns their sources. @throws StartError as {@link readConfig} */
export function describeConfig(
	flags: Flags,
	environment: Environment,
): { config: Config; inForce: readonly SettingInForce[] } {
	const sources = openSources(flags, environment);
	const config = readFrom(sources, allNames);
	const connections = sources("database-connections")?.from ?? null;
	const conflicts = conflictsOf(config, connections);
	const [, fault] = conflicts.find(([isConflict]) => isConflict) ?? [];
	if (fault !== undefined) throw new StartError(fault, 2);
	const inForce = allNames.map((name) => {
		const { secret, show }: Setting<unknown> = settings[name];
		const given = sources(name);
		const text = given?.text ?? presetOf(name, config.ephemeral) ?? null;
		const shown = secret ? "(hidden)" : (show?.(text ?? "") ?? text);
		return {
			name,
			text: text === null ? null : shown,
			from: given?.from ?? null,
		};
	});
	return { config, inForce };
}

function conflictsOf(
	config: Config,
	connections: string | null,
): [isConflict: boolean, fault: string][] {
	const engine = engineOf(config.database);
	const served = engines.filter(({ hasServer }) => hasServer);
	const identity = config["identity-url"];
	const controls = config["test-controls"];
	const isNamed = config["test-hosts"].length > 0;
	const isReachable = isLoopback(config.host) || isNamed;
	// A resort that anyone may change, or whose keys are guessable, must store nothing.
	const keepsNothing = config.ephemeral && config.database === ":memory:";
	const onlyInMemory =
		"goes only with --ephemeral and a database that is :memory:";
	return [
		[
			(identity === null) !== (config["identity-secret"] === null),
			"--identity-url and --identity-secret go together: give both or neither",
		],
		[
			identity !== null && config.registration !== "open",
			"--registration does not go with --identity-url: there the provider decides who may come",
		],
		[
			config.ephemeral && engine.hasServer,
			`--ephemeral keeps nothing: it does not go with a --database that is ${engine.name}`,
		],
		[
			connections !== null && !engine.hasServer,
			`${connections} goes only with a --database that is ${served.map(({ name }) => name).join(" or ")}`,
		],
		[
			config.seed !== null && !keepsNothing,
			`--seed makes keys guessable: it ${onlyInMemory}`,
		],
		[config.fixtures !== null && !keepsNothing, `--fixtures ${onlyInMemory}`],
		[
			controls && !(keepsNothing && isReachable),
			"--test-controls goes only with --ephemeral, a database that is :memory: and a --host that is a loopback address (any --host with --test-hosts)",
		],
		[isNamed && !controls, "--test-hosts goes only with --test-controls"],
		[config.now !== null && !keepsNothing, `--now ${onlyInMemory}`],
		[config.frozen && !keepsNothing, `--frozen ${onlyInMemory}`],
		[
			config["exit-with-parent"] && !config.ephemeral,
			"--exit-with-parent goes only with --ephemeral",
		],
	];
}

function readFrom<Name extends SettingName>(
	sources: Sources,
	names: readonly Name[],
): Pick<Config, Name> {
	const ephemeral = read("ephemeral", sources, false) === true;
	const entries = names.map((name) => [name, read(name, sources, ephemeral)]);
	return Object.freeze(Object.fromEntries(entries));
}

function read(
	name: SettingName,
	sources: Sources,
	ephemeral: boolean,
): unknown {
	const given = sources(name);
	const text = given?.text ?? presetOf(name, ephemeral);
	if (text === undefined) return null;
	const value = settings[name].read(text);
	if (value !== undefined) return value;
	const source = given ?? { from: `--${name}`, shown: "" };
	throw refusal(settings[name], source, text);
}

function presetOf(name: SettingName, ephemeral: boolean): string | undefined {
	const setting: Setting<unknown> = settings[name];
	return (ephemeral ? setting.ephemeralPreset : undefined) ?? setting.preset;
}
