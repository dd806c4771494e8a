import { isLoopback } from "../lib/ip-address.ts";
import { SettingError } from "../lib/start-error.ts";
import { engineOf, engines } from "../store/engines.ts";
import {
	type Flags,
	findGiven,
	type Given,
	type GivenSettings,
	givenText,
	parseGiven,
} from "./setting-sources.ts";
import { type Setting, type SettingName, settings } from "./settings.ts";

const allNames = Object.keys(settings) as SettingName[];

/** The values of all settings; null for a setting that has neither a value nor a default. */
export type Config = {
	readonly [Name in SettingName]:
		| Exclude<ReturnType<(typeof settings)[Name]["read"]>, undefined>
		| ((typeof settings)[Name] extends { preset: string } ? never : null);
};

/**
 * Reads the settings. A value is taken from the first of these sources that has one: the flag, the
 * environment variable, the file named by the `_FILE` variable, the configuration file, the default.
 * @throws StartError with exit code 2, which names the setting, its value and the allowed values
 */
export function readConfig(flags: Flags, environment: NodeJS.ProcessEnv): Config {
	return describeConfig(flags, environment).config;
}

/**
 * Reads only some settings. Values of other settings are not validated.
 * @throws StartError as {@link readConfig}
 */
export function readSettings<Name extends SettingName>(
	names: readonly Name[],
	flags: Flags,
	environment: NodeJS.ProcessEnv,
): Pick<Config, Name> {
	const given = findGiven([...names, "ephemeral"], flags, environment);
	return parseAll(names, given);
}

/**
 * Reads the settings. Returns their values, and a list of their texts and sources. A text is `(hidden)` for a
 * secret, and null if there is no value. A source is null if the setting is not given.
 * @throws StartError as {@link readConfig}
 */
export function describeConfig(flags: Flags, environment: NodeJS.ProcessEnv) {
	const given = findGiven(allNames, flags, environment);
	const config = parseAll(allNames, given);
	const conflict = findConflict(config, given.get("database-connections"));
	if (conflict !== undefined) throw new SettingError(conflict);
	const inForce = allNames.map((name) => {
		const { secret, show }: Setting<unknown> = settings[name];
		const from = given.get(name)?.from ?? null;
		const preset = presetOf(name, config.ephemeral);
		const text = given.get(name)?.text ?? preset;
		const origin = { name, from, isDefault: text === preset };
		if (text === undefined) return { ...origin, text: null };
		return { ...origin, text: secret ? "(hidden)" : (show?.(text) ?? text) };
	});
	return { config, inForce };
}

/** Returns the reason why valid settings cannot be combined; undefined if they can. */
function findConflict(config: Config, connections: Given | undefined): string | undefined {
	const engine = engineOf(config.database);
	const served = engines.filter(({ hasServer }) => hasServer);
	const identity = config["identity-url"];
	const controls = config["test-controls"];
	const isNamed = config["test-hosts"].length > 0;
	const isReachable = isLoopback(config.host) || isNamed;
	// Settings for tests let anyone modify the resort or guess its keys. Therefore they are allowed only if the
	// database is temporary.
	const keepsNothing = config.ephemeral && config.database === ":memory:";
	const forMemory = (["seed", "fixtures", "now", "frozen"] as const).find(
		(name) => config[name] !== null && config[name] !== false,
	);
	const rules: [isConflict: boolean, reason: string][] = [
		[
			(identity === null) !== (config["identity-secret"] === null),
			"--identity-url and --identity-secret must be set together: set both or neither",
		],
		[
			identity !== null && config.registration !== "open",
			"--registration cannot be combined with --identity-url: the provider decides who may register",
		],
		[
			config.ephemeral && engine.hasServer,
			`--ephemeral keeps nothing: it cannot be combined with a --database that is ${engine.name}`,
		],
		[
			connections !== undefined && !engine.hasServer,
			`${connections?.from} requires a --database that is ${served.map(({ name }) => name).join(" or ")}`,
		],
		[forMemory !== undefined && !keepsNothing, `--${forMemory} requires --ephemeral and --database :memory:`],
		[
			controls && !(keepsNothing && isReachable),
			"--test-controls requires --ephemeral, --database :memory: and a loopback address as --host (any --host with --test-hosts)",
		],
		[isNamed && !controls, "--test-hosts requires --test-controls"],
		[config["exit-with-parent"] && !config.ephemeral, "--exit-with-parent requires --ephemeral"],
	];
	return rules.find(([isConflict]) => isConflict)?.[1];
}

function parseAll<Name extends SettingName>(
	names: readonly Name[],
	given: GivenSettings,
): Pick<Config, Name> {
	const parse = (name: SettingName, ephemeral: boolean) => {
		const text = presetOf(name, ephemeral);
		const preset = text === undefined ? null : givenText(name, `--${name}`, text);
		const value = given.get(name) ?? preset;
		return value && parseGiven(name, value);
	};
	const ephemeral = parse("ephemeral", false) === true;
	const entries = names.map((name) => [name, parse(name, ephemeral)]);
	return Object.freeze(Object.fromEntries(entries));
}

function presetOf(name: SettingName, ephemeral: boolean): string | undefined {
	const setting: Setting<unknown> = settings[name];
	return (ephemeral ? setting.ephemeralPreset : undefined) ?? setting.preset;
}
