import type { Environment } from "../lib/environment.ts";
import { isLoopback } from "../lib/ip-address.ts";
import { StartError } from "../lib/start-error.ts";
import { engineOf, engines } from "../store/engines.ts";
import { type Setting, type SettingName, settings } from "./settings.ts";
import { type Flags, openSources, refusal, type Sources } from "./sources.ts";

const allNames = Object.keys(settings) as SettingName[];

/** The value of every setting; null where nothing is given and nothing is preset. */
export type Config = {
	readonly [Name in SettingName]:
		| Exclude<ReturnType<(typeof settings)[Name]["read"]>, undefined>
		| ((typeof settings)[Name] extends { preset: string } ? never : null);
};

/**
 * Reads the settings. The first of these wins: a flag, a variable, a file that a variable names, the configuration
 * file, the preset.
 * @throws StartError with exit code 2 that names the setting, its value and what is allowed
 */
export function readConfig(flags: Flags, environment: Environment): Config {
	return readAll(openSources(flags, environment));
}

/**
 * Reads some settings without looking at the values of the others.
 * @throws StartError as {@link readConfig}
 */
export function readSettings<Name extends SettingName>(
	names: readonly Name[],
	flags: Flags,
	environment: Environment,
): Pick<Config, Name> {
	return readFrom(openSources(flags, environment), names);
}

/** A setting in force. */
export interface SettingInForce {
	readonly name: string;
	/** The text that was given or is preset, without a password in it: `(hidden)` for a secret, null when there is none. */
	readonly text: string | null;
	/** Where it was given: the flag, the variable, or the file and key; null when it was not given. */
	readonly from: string | null;
}

/**
 * Reads the settings and tells where each one comes from, in the order of {@link settings}. Secrets are hidden.
 * @throws StartError as {@link readConfig}
 */
export function describeConfig(
	flags: Flags,
	environment: Environment,
): { config: Config; inForce: readonly SettingInForce[] } {
	const sources = openSources(flags, environment);
	const config = readAll(sources);
	const inForce = allNames.map((name) => {
		const given = sources(name);
		const text = given?.text ?? presetOf(name, config.ephemeral) ?? null;
		return {
			name,
			text: text === null ? null : show(settings[name], text),
			from: given?.from ?? null,
		};
	});
	return { config, inForce };
}

function show(setting: Setting<unknown>, text: string): string {
	return setting.secret ? "(hidden)" : (setting.show?.(text) ?? text);
}

/** Reads every setting, and refuses those that do not go together. */
function readAll(sources: Sources): Config {
	const config = readFrom(sources, allNames);
	if (
		(config["identity-url"] === null) !==
		(config["identity-secret"] === null)
	) {
		throw new StartError(
			"--identity-url and --identity-secret go together: give both or neither",
			2,
		);
	}
	if (config["identity-url"] !== null && config.registration !== "open") {
		throw new StartError(
			"--registration does not go with --identity-url: there the provider decides who may come",
			2,
		);
	}
	const engine = engineOf(config.database);
	if (config.ephemeral && engine.hasServer) {
		throw new StartError(
			`--ephemeral keeps nothing: it does not go with a --database that is ${engine.name}`,
			2,
		);
	}
	const connections = sources("database-connections");
	if (connections !== null && !engine.hasServer) {
		const served = engines.filter(({ hasServer }) => hasServer);
		throw new StartError(
			`${connections.from} goes only with a --database that is ${served.map(({ name }) => name).join(" or ")}`,
			2,
		);
	}
	requireThrowaway(config);
	return config;
}

/** Refuses what only tests want: a resort that anyone may empty must keep nothing. */
function requireThrowaway(config: Config): void {
	const isThrowaway = config.ephemeral && config.database === ":memory:";
	const needsThrowaway = (isGiven: boolean, what: string) => {
		if (!isGiven || isThrowaway) return;
		throw new StartError(
			`${what} goes only with --ephemeral and a database that is :memory:`,
			2,
		);
	};
	// Guessable keys must not be kept, nor be drawn a second time for the same database.
	needsThrowaway(config.seed !== null, "--seed makes keys guessable: it");
	needsThrowaway(config.fixtures !== null, "--fixtures");
	const isNamed = config["test-hosts"].length > 0;
	const isReachable = isLoopback(config.host) || isNamed;
	if (config["test-controls"] && !(isThrowaway && isReachable)) {
		throw new StartError(
			"--test-controls goes only with --ephemeral, a database that is :memory: and a --host that is a loopback address (any --host with --test-hosts)",
			2,
		);
	}
	if (isNamed && !config["test-controls"]) {
		throw new StartError("--test-hosts goes only with --test-controls", 2);
	}
	// What is kept must not be dated by a clock that is wrong.
	needsThrowaway(config.now !== null, "--now");
	needsThrowaway(config.frozen, "--frozen");
	if (config["exit-with-parent"] && !config.ephemeral) {
		throw new StartError("--exit-with-parent goes only with --ephemeral", 2);
	}
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
	throw refusal(
		settings[name],
		given ?? { from: `--${name}`, shown: "" },
		text,
	);
}

/** The text that counts when nothing is given; undefined when nothing is preset. */
function presetOf(name: SettingName, ephemeral: boolean): string | undefined {
	const setting: Setting<unknown> = settings[name];
	return (ephemeral ? setting.ephemeralPreset : undefined) ?? setting.preset;
}
