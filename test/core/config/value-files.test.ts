import { describe, expect, test } from "bun:test";
import { type Config, configuration } from "../../../src/cli/features.ts";
import { variableOf } from "../../../src/core/config/setting.ts";
import { useTemporaryFolder } from "../../support/folder.ts";

const folder = useTemporaryFolder();

const MAX_BYTES = 64 * 1024;

type Sources = Parameters<typeof configuration.read>;

describe("the file that RESORT_<NAME>_FILE names", () => {
	test.each([
		["only the value", "8080"],
		["a line feed after the value", "8080\n"],
		["CRLF after the value", "8080\r\n"],
		["white space around the value", " \t8080 \n\r\n"],
		["a byte order mark before the value", "\uFEFF8080"],
	])("may contain %s", (_, content) => {
		const config = configuration.read({}, { RESORT_PORT_FILE: folder.write(content) });
		expect(config.port).toBe(8080);
	});

	test.each([
		["only white space", " \r\n", ": must be a non-empty file"],
		["a NUL", "8\0", ": must be a file of UTF-8 text"],
		["more than 64 KiB", "8".repeat(MAX_BYTES + 1), ": must be a file of at most 64 KiB"],
		["a number of 64 KiB", "8".repeat(MAX_BYTES), " (the content of the file): must be a whole"],
	])("is refused if it contains %s", (_, content, message) => {
		const path = folder.write(content);
		const told = `RESORT_PORT_FILE "${path}"${message}`;
		expect(() => configuration.read({}, { RESORT_PORT_FILE: path })).toThrow(told);
	});

	// The content must not be shown, because the file may be the wrong one and contain a secret.
	test.each(Object.keys(configuration.settings).filter((name) => name !== "fixtures"))(
		"is named by the error if its content is invalid for `--%s`, and the error hides the content",
		(name) => {
			const variable = `${variableOf(name)}_FILE`;
			const environment = { [variable]: folder.write("hunter2/ hunter2") };
			expect(() => configuration.read({}, environment)).toThrow(
				new RegExp(`^(?!.*hunter2)${variable} "[^"]+" \\(the content of the file\\): `),
			);
		},
	);

	test("is refused if RESORT_<NAME> is set too, unless one of the two variables is empty", () => {
		const file = folder.write("1");
		const both = { RESORT_PORT: "1", RESORT_PORT_FILE: file };
		expect(() => configuration.read({}, both)).toThrow("RESORT_PORT and RESORT_PORT_FILE cannot be combined");
		const one = { RESORT_PORT: "", RESORT_PORT_FILE: file };
		expect(configuration.read({}, one).port).toBe(1);
		expect(configuration.read({}, { ...both, RESORT_PORT_FILE: "" }).port).toBe(1);
	});

	test("is read only if the variable has the prefix `RESORT_`: `PORT_FILE` is ignored", () => {
		expect(configuration.read({}, { PORT_FILE: folder.write("1") }).port).toBe(3000);
	});
});

describe("the value of a setting", () => {
	const config = folder.write("port = 5\nephemeral = true\n", "resort.toml");
	const places = {
		flag: { port: "1" },
		own: { RESORT_PORT: "2" },
		further: { PORT: "3" },
		file: { RESORT_PORT_FILE: folder.write("4", "port") },
		config: { RESORT_CONFIG: config },
	};
	const { flag, own, further, file } = places;

	test.each<[first: string, flags: Sources[0], environment: Sources[1], port: Config["port"]]>([
		["the flag rather than a variable or a file", flag, { ...own, ...further, ...places.config }, 1],
		["the flag rather than `RESORT_PORT_FILE`", flag, { ...file, ...places.config }, 1],
		["`RESORT_PORT` rather than `PORT`", {}, { ...own, ...further, ...places.config }, 2],
		["`PORT` rather than `RESORT_PORT_FILE`", {}, { ...further, ...file, ...places.config }, 3],
		["the file that `RESORT_PORT_FILE` names", {}, { ...file, ...places.config }, 4],
		["the configuration file if there is no flag or variable", {}, places.config, 5],
		["the default if no flag, variable or file has one", {}, {}, 3000],
	])("is taken from %s", (_, flags, environment, port) => {
		expect(configuration.read(flags, environment).port).toBe(port);
	});

	test("is taken from the file that `--config` names rather than from the one that `RESORT_CONFIG` names", () => {
		const flags = { config: folder.write("port = 6", "other.toml") };
		expect(configuration.read(flags, places.config).port).toBe(6);
		const path = folder.write(`${config}\n`, "path");
		expect(configuration.read({}, { RESORT_CONFIG_FILE: path }).port).toBe(5);
	});
});
