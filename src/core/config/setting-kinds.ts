/** Functions that create settings of the common kinds. */
import { type AddressRange, hostName, parseRange } from "../lib/ip-address.ts";
import { baseAddress, wholeNumber } from "../lib/text.ts";
import type { PresetSetting, Setting } from "./setting.ts";

/** Creates a setting that is on or off. */
export function onOff(help: string, preset: "on" | "off"): PresetSetting<boolean> {
	return { value: "on|off", ...toggle(help), preset };
}

/** Creates a switch. `--name=off` turns the switch off even if an environment variable turns it on. */
export function toggle(help: string): PresetSetting<boolean> {
	return { help, preset: "off", allowed: "on or off", read: onOrOff };
}

/** Creates a setting whose value is one of several words. The first word is the default. */
export function oneOf<Word extends string>(
	words: readonly [Word, ...Word[]],
	value: string,
	help: string,
): PresetSetting<Word> {
	const allowed = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
	const read = (text: string) => words.find((word) => word === text);
	return { value, help, preset: words[0], allowed, read };
}

/** Creates a setting whose value is a whole number. */
export function integer(help: string, most: number, least = 0): Setting<number> {
	const allowed = `a whole number from ${least} to ${most}`;
	const read = (text: string) => wholeNumber(text, most, least);
	return { value: "N", help, allowed, read };
}

/** Creates the setting of a port, which is 0 by default for an ephemeral instance. */
export function port(help: string, preset: string): PresetSetting<number> {
	const ephemeralPreset = "0";
	return { ...integer(help, 65_535), value: "PORT", preset, ephemeralPreset };
}

/** Creates the setting of an address to listen on. */
export function host(help: string): PresetSetting<string> {
	const allowed = "an IP address without brackets, or a host name";
	return { value: "HOST", help, preset: "127.0.0.1", allowed, read: hostName };
}

/** Creates a setting whose value is a URL. */
export function url(help: string): Setting<string> {
	const allowed = "an http:// or https:// URL without credentials, query or fragment";
	return { value: "URL", help, allowed, read: baseAddress, show: hideUser };
}

/** Creates a setting whose value is a list of addresses and CIDR ranges. */
export function addresses(help: string): PresetSetting<readonly AddressRange[]> {
	const allowed = "a comma-separated list of IP addresses and CIDR ranges";
	return { value: "LIST", help, preset: "", allowed, read: addressRanges };
}

/** Creates a setting whose value is the path of a file. */
export function file(help: string, allowed: string): Setting<string> {
	const read = (text: string) => text || undefined;
	return { value: "FILE", help, allowed, read };
}

/** Parses `on`, `true` or `1`, and `off`, `false` or `0`. */
export function onOrOff(text: string): boolean | undefined {
	if (["1", "true", "on"].includes(text)) return true;
	return ["0", "false", "off"].includes(text) ? false : undefined;
}

/** Hides the user name and password in the text of a URL, even if the URL is invalid. */
function hideUser(text: string): string {
	return text.replace(/^((?:[a-z]+:\/\/)?).*@/i, "$1(hidden)@");
}

/** Parses a comma-separated list of addresses and CIDR ranges. */
function addressRanges(text: string): readonly AddressRange[] | undefined {
	if (text === "") return [];
	const ranges = text.split(",").map((range) => parseRange(range.trim()));
	return ranges.every((range) => range !== null) ? ranges : undefined;
}
