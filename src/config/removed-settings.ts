import { SettingError } from "../lib/start-error.ts";
import { variableOf } from "./settings.ts";

/** The settings that earlier versions had, each with the reason for its removal. */
const reasons: Readonly<Record<string, string>> = {
	"admin-socket":
		"was removed, because resort admin opens the database itself and needs no socket: remove this setting",
};

/**
 * Refuses the flags of removed settings. Ignores the arguments after `--`, which belong to another program.
 * @throws StartError with exit code 2
 */
export function refuseRemovedFlags(args: readonly string[]): void {
	const end = args.indexOf("--");
	for (const arg of end === -1 ? args : args.slice(0, end)) {
		const [flag = ""] = arg.split("=");
		if (flag.startsWith("--")) refuseRemoved(flag.slice(2), flag);
	}
}

/**
 * Refuses the environment variables of removed settings.
 * @throws StartError with exit code 2
 */
export function refuseRemovedVariables(environment: NodeJS.ProcessEnv): void {
	for (const name of Object.keys(reasons)) {
		const variable = variableOf(name);
		for (const own of [variable, `${variable}_FILE`]) {
			if (environment[own]) refuseRemoved(name, own);
		}
	}
}

/**
 * Refuses a setting that was removed. Does nothing for any other name.
 * @param source where the setting was found, such as a flag, or a file and its key
 * @throws StartError with exit code 2
 */
export function refuseRemoved(name: string, source: string): void {
	if (!Object.hasOwn(reasons, name)) return;
	throw new SettingError(`${source} ${reasons[name]}`);
}
