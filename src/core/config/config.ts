import { SettingError } from "../lib/start-error.ts";
import type { Setting, Settings, Values } from "./setting.ts";
import {
	type Flags,
	findGiven,
	type GivenSettings,
	givenText,
	parseGiven,
	settingOf,
	unknownVariables,
} from "./setting-sources.ts";

/** Whether valid settings cannot be combined, and the reason. */
export type Conflict = readonly [isConflict: boolean, reason: string];

/** A setting in force. */
export interface InForce {
	readonly name: string;
	/** The text of the value: `(hidden)` for a secret, null if there is no value. */
	readonly text: string | null;
	/** The source of the value; null if the setting is not given. */
	readonly from: string | null;
	readonly isDefault: boolean;
}

/** Settings, and the functions that read their values. */
export interface Configuration<S extends Settings> {
	readonly settings: S;
	/**
	 * Reads the settings. A value is taken from the first of these sources that has one: the flag, the
	 * environment variable, the file named by the `_FILE` variable, the configuration file, the default.
	 * @throws StartError with exit code 2, which names the setting, its value and the allowed values
	 */
	read(flags: Flags, environment: NodeJS.ProcessEnv): Values<S>;
	/**
	 * Reads only some settings. Values of other settings are not validated.
	 * @throws StartError as {@link read}
	 */
	readSome<Name extends keyof S & string>(
		names: readonly Name[],
		flags: Flags,
		environment: NodeJS.ProcessEnv,
	): Pick<Values<S>, Name>;
	/**
	 * Reads the settings, and describes them in the order of the help text.
	 * @throws StartError as {@link read}
	 */
	describe(
		flags: Flags,
		environment: NodeJS.ProcessEnv,
	): { readonly config: Values<S>; readonly inForce: readonly InForce[] };
	/** Returns unknown variables as {@link unknownVariables} does. */
	unknownVariables(environment: NodeJS.ProcessEnv): string[];
}

/**
 * Creates a configuration.
 * @param settings include `config` and `ephemeral`
 * @param conflictsOf finds valid settings that cannot be combined
 * @param variables known variables that belong to no setting
 */
export function createConfiguration<S extends Settings>(
	settings: S,
	conflictsOf: (config: Values<S>, given: GivenSettings) => readonly Conflict[],
	variables: readonly string[],
): Configuration<S> {
	const allNames = Object.keys(settings);

	function presetOf(name: string, ephemeral: boolean): string | undefined {
		const { ephemeralPreset, preset } = settingOf(settings, name);
		return (ephemeral ? ephemeralPreset : undefined) ?? preset;
	}

	function parse(name: string, given: GivenSettings, ephemeral: boolean): unknown {
		const setting = settingOf(settings, name);
		const text = presetOf(name, ephemeral);
		const preset = text === undefined ? null : givenText(setting, `--${name}`, text);
		const value = given.get(name) ?? preset;
		return value && parseGiven(setting, value);
	}

	/** The type of the result is that of the names' values. */
	function parseAll<Result>(names: readonly string[], given: GivenSettings): Result {
		const ephemeral = parse("ephemeral", given, false) === true;
		const entries = names.map((name) => [name, parse(name, given, ephemeral)]);
		return Object.freeze(Object.fromEntries(entries));
	}

	function readAll(flags: Flags, environment: NodeJS.ProcessEnv) {
		const given = findGiven(settings, allNames, flags, environment);
		const config = parseAll<Values<S>>(allNames, given);
		const conflict = conflictsOf(config, given).find(([isConflict]) => isConflict);
		if (conflict !== undefined) throw new SettingError(conflict[1]);
		return { config, given };
	}

	return {
		settings,
		read: (flags, environment) => readAll(flags, environment).config,
		readSome: (names, flags, environment) =>
			parseAll(names, findGiven(settings, [...names, "ephemeral"], flags, environment)),
		describe(flags, environment) {
			const { config, given } = readAll(flags, environment);
			const inForce = allNames.map((name) => {
				const { secret, show }: Setting<unknown> = settingOf(settings, name);
				const from = given.get(name)?.from ?? null;
				const preset = presetOf(name, parse("ephemeral", given, false) === true);
				const text = given.get(name)?.text ?? preset;
				const origin = { name, from, isDefault: text === preset };
				if (text === undefined) return { ...origin, text: null };
				return { ...origin, text: secret ? "(hidden)" : (show?.(text) ?? text) };
			});
			return { config, inForce };
		},
		unknownVariables: (environment) => unknownVariables(settings, variables, environment),
	};
}
