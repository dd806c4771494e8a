import type { TypedFlag } from "../lib/command-line.ts";

/**
 * A setting, with the flag `--name`, the variable `RESORT_NAME` and the key `name` in configuration files.
 */
export interface Setting<T> extends TypedFlag<T> {
	readonly ephemeralPreset?: string;
	/** Further variables, which are read if the setting's own variable is not set. */
	readonly variables?: readonly string[];
	/** Whether the value is never shown. */
	readonly secret?: true;
	/** Returns a more precise reason than {@link allowed} for refusing a text; null if it knows none. */
	readonly fault?: (text: string) => string | null;
}

/** A setting with a default. */
export type PresetSetting<T> = Setting<T> & { readonly preset: string };

/** Settings by name. */
export type Settings = Readonly<Record<string, Setting<unknown>>>;

/** The values of settings; null for a setting that has neither a value nor a default. */
export type Values<S> = {
	readonly [Name in keyof S]: S[Name] extends Setting<unknown>
		? Exclude<ReturnType<S[Name]["read"]>, undefined> | (S[Name] extends { preset: string } ? never : null)
		: never;
};

/** Returns the name of a setting's environment variable. */
export function variableOf(name: string): string {
	return `RESORT_${name.toUpperCase().replaceAll("-", "_")}`;
}
