import { withNearest } from "../lib/nearest-name.ts";
import { SettingError } from "../lib/start-error.ts";
import { type Settings, type Values, variableOf } from "./setting.ts";
import {
	type Flags,
	findGiven,
	type GivenSettings,
	givenText,
	parseGiven,
	settingOf,
} from "./setting-sources.ts";

/** Whether a combination of valid settings is forbidden, and the reason. */
export type Conflict = readonly [isConflict: boolean, reason: string];

/** Settings, and the functions that read their values. */
export type Configuration<S extends Settings> = ReturnType<typeof createConfiguration<S>>;

/** The length to which the name of an unknown variable is cut in a warning. */
const MAX_SHOWN = 64;

/**
 * Creates the functions that read settings. A value is taken from the first source that has one: the flag,
 * the environment variable, the file named by the `_FILE` variable, the configuration file, the default. The
 * functions throw a StartError with exit code 2. Its message names the setting, its value and the allowed
 * values.
 * @param settings include `config` and `ephemeral`
 * @param conflictsOf finds valid settings that cannot be combined
 * @param variables known variables that belong to no setting
 */
export function createConfiguration<S extends Settings>(
	settings: S,
	conflictsOf: (config: Values<S>, given: GivenSettings) => readonly Conflict[],
	variables: readonly string[],
) {
	const allNames = Object.keys(settings);

	function presetOf(name: string, given: GivenSettings): string | undefined {
		const { ephemeralPreset, preset } = settingOf(settings, name);
		const isReplaced = ephemeralPreset !== undefined && parse("ephemeral", given) === true;
		return isReplaced ? ephemeralPreset : preset;
	}

	function parse(name: string, given: GivenSettings): unknown {
		const setting = settingOf(settings, name);
		const text = presetOf(name, given);
		const preset = text === undefined ? null : givenText(setting, `--${name}`, text);
		const value = given.get(name) ?? preset;
		return value && parseGiven(setting, value);
	}

	/** Parses the values of some settings. The caller gives the type of the result. */
	function parseAll<Result>(names: readonly string[], given: GivenSettings): Result {
		const entries = names.map((name) => [name, parse(name, given)]);
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
		/** Reads all settings. */
		read: (flags: Flags, environment: NodeJS.ProcessEnv): Values<S> => readAll(flags, environment).config,
		/** Reads only some settings. Values of other settings are not validated. */
		readSome: <Name extends keyof S & string>(
			names: readonly Name[],
			flags: Flags,
			environment: NodeJS.ProcessEnv,
		): Pick<Values<S>, Name> =>
			parseAll(names, findGiven(settings, [...names, "ephemeral"], flags, environment)),
		/** Reads the settings, and describes them in the order of the help text. */
		describe(flags: Flags, environment: NodeJS.ProcessEnv) {
			const { config, given } = readAll(flags, environment);
			const inForce = allNames.map((name) => {
				const { secret, show } = settingOf(settings, name);
				const preset = presetOf(name, given);
				const { text = preset, from = null } = given.get(name) ?? {};
				const shown = text && (show?.(text) ?? text);
				return {
					name,
					/** The source of the value; null if the setting is not given. */
					from,
					/** The text of the value: `(hidden)` for a secret, null if there is no value. */
					text: secret && text ? "(hidden)" : (shown ?? null),
					isDefault: text === preset,
				};
			});
			return { config, inForce };
		},
		/**
		 * Returns each unknown variable that begins with `RESORT_`, together with the most similar known name.
		 * Unknown variables cause only a warning, because they may belong to other programs.
		 */
		unknownVariables(environment: NodeJS.ProcessEnv): string[] {
			const known = [...variables, ...allNames.map(variableOf).flatMap((own) => [own, `${own}_FILE`])];
			return Object.keys(environment)
				.filter((name) => name.startsWith("RESORT_") && !known.includes(name))
				.toSorted()
				.map((name) => withNearest(name, known, name.slice(0, MAX_SHOWN)));
		},
	};
}
