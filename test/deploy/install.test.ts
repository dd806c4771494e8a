import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/documents.ts";
import { runProgram } from "../support/executable.ts";
import { useFreshFolder } from "../support/folder.ts";
import { testWith, toolPath } from "../support/tools.ts";

/** The version that the executables of the release print. */
const VERSION = "1.2.3";
const EXECUTABLE = `#!/bin/sh\necho ${VERSION}\n`;

/** The executables of a release and their machines: `uname -s`, `uname -m`, processor flags, C library. */
const machines = [
	["linux-x64", "Linux", "x86_64", "fpu avx2 bmi2", "GNU libc"],
	["linux-x64-baseline", "Linux", "x86_64", "fpu avx", "GNU libc"],
	["linux-arm64", "Linux", "aarch64", "", "GNU libc"],
	["linux-x64-musl", "Linux", "x86_64", "fpu", "musl libc"],
	["linux-arm64-musl", "Linux", "arm64", "", "musl libc"],
	["darwin-x64", "Darwin", "x86_64", "", ""],
	["darwin-arm64", "Darwin", "arm64", "", ""],
	["windows-x64.exe", "MINGW64_NT-10.0", "x86_64", "", ""],
] as const;

/** Returns the contents of a release by file names, as a new object that a test may change. */
function releaseFiles(): Record<string, string> {
	const names = machines.map(([name]) => `resort-${VERSION}-${name}`);
	const sums = names.map((name) => {
		const sum = new Bun.CryptoHasher("sha256").update(EXECUTABLE);
		return `${sum.digest("hex")}  ${name}\n`;
	});
	const executables = names.map((name) => [name, EXECUTABLE]);
	return { SHA256SUMS: sums.join(""), ...Object.fromEntries(executables) };
}

const folder = useFreshFolder();
let files: Record<string, string>;
const requested: string[] = [];
beforeEach(() => {
	files = releaseFiles();
	requested.length = 0;
});
const server = Bun.serve({
	port: 0,
	fetch(request) {
		const { pathname } = new URL(request.url);
		requested.push(pathname);
		const text = files[pathname.split("/").at(-1) ?? ""];
		return new Response(text ?? "Not Found", { status: text ? 200 : 404 });
	},
});
afterAll(() => server.stop(true));

interface Machine {
	readonly system?: string;
	readonly processor?: string;
	readonly flags?: string;
	readonly library?: string;
	readonly downloader?: "curl" | "wget" | null;
	readonly env?: Record<string, string>;
}

/** Runs `install.sh`. Its PATH has only scripts that imitate the machine, and links to real programs. */
async function install(machine: Machine = {}) {
	const { system = "Linux", processor = "x86_64", flags = "avx2" } = machine;
	const { library = "GNU libc", downloader = "curl" } = machine;
	const { path } = folder;
	const bin = join(path, "bin");
	mkdirSync(bin);
	const scripts = {
		uname: `[ "$1" = -s ] && echo "${system}" || echo "${processor}"`,
		ldd: `echo "${library}" >&2; exit 1`,
		sysctl: "exit 1",
		grep: `case $* in */proc/cpuinfo) echo "${flags}" | ${toolPath("grep")} "$1" avx2 ;; *) exec ${toolPath("grep")} "$@" ;; esac`,
	};
	for (const [name, script] of Object.entries(scripts)) {
		writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	}
	const real = ["cut", "head", "mkdir", "mktemp", "rm", "chmod", "mv"];
	for (const tool of [...real, "sha256sum", ...(downloader ?? "").split(" ")]) {
		if (tool !== "") symlinkSync(toolPath(tool) ?? "", join(bin, tool));
	}
	const env = { PATH: bin, HOME: path, RESORT_RELEASES: `${server.url.origin}/releases`, ...machine.env };
	return await runProgram(["/bin/sh", join(root, "install.sh")], { env });
}

describe("install.sh", () => {
	test.each(machines)(
		"installs %s on %s %s with the processor flags %j and the C library %j",
		async (name, system, processor, flags, library) => {
			const machine = { system, processor, flags, library };
			const { exitCode, stdout, stderr } = await install(machine);
			const program = name.endsWith(".exe") ? "resort.exe" : "resort";
			const installed = join(folder.path, ".local/bin", program);
			expect({ exitCode, stdout, stderr }).toEqual({
				exitCode: 0,
				stdout: `Installed resort ${VERSION} to ${installed}\nAdd ${folder.path}/.local/bin to your PATH to run it as resort.\n`,
				stderr: "",
			});
			expect(requested).toEqual([
				"/releases/latest/download/SHA256SUMS",
				`/releases/latest/download/resort-${VERSION}-${name}`,
			]);
			expect(readFileSync(installed, "utf8")).toBe(EXECUTABLE);
		},
	);

	testWith(["wget"], "uses wget if curl is not installed", async () => {
		const { exitCode } = await install({ downloader: "wget" });
		expect(exitCode).toBe(0);
	});

	test("installs the version in RESORT_VERSION into the folder in RESORT_BIN, and replaces an older executable", async () => {
		const target = join(folder.path, "a b");
		mkdirSync(target);
		writeFileSync(join(target, "resort"), "old");
		const env = { RESORT_BIN: target, RESORT_VERSION: `v${VERSION}` };
		expect((await install({ env })).exitCode).toBe(0);
		expect(requested[0]).toBe(`/releases/download/v${VERSION}/SHA256SUMS`);
		expect(readFileSync(join(target, "resort"), "utf8")).toBe(EXECUTABLE);
		expect(readdirSync(target)).toEqual(["resort"]);
	});

	const name = `resort-${VERSION}-linux-x64`;
	test.each<[string, string, Record<string, string | undefined>, Machine]>([
		["the checksum of the executable differs", "does not match", { [name]: "other" }, {}],
		["the download is incomplete", "does not match", { [name]: EXECUTABLE.slice(9) }, {}],
		["the executable is missing in the release", "cannot download", { [name]: undefined }, {}],
		["no release exists", "cannot download", { SHA256SUMS: undefined }, {}],
		["SHA256SUMS does not list the executable", "no executable for linux-x64", { SHA256SUMS: "-" }, {}],
		["neither curl nor wget is installed", "curl or wget", {}, { downloader: null }],
		["the processor is unknown", "riscv64", {}, { processor: "riscv64" }],
		["the system is unknown", "FreeBSD", {}, { system: "FreeBSD" }],
	])("changes nothing if %s", async (_case, reason, changed, machine) => {
		for (const [file, text] of Object.entries(changed)) {
			if (text === undefined) delete files[file];
			else files[file] = text;
		}
		const target = join(folder.path, ".local/bin");
		mkdirSync(target, { recursive: true });
		writeFileSync(join(target, "resort"), "old");
		const { exitCode, stdout, stderr } = await install(machine);
		expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
		// The last line is from install.sh, and the lines before it are from curl.
		expect(stderr.split("\n").at(-2)).toStartWith("install.sh: ");
		expect(stderr).toContain(reason);
		expect(readFileSync(join(target, "resort"), "utf8")).toBe("old");
		expect(readdirSync(target)).toEqual(["resort"]);
	});

	test("prints an error with the path of the folder if it cannot create this folder", async () => {
		writeFileSync(join(folder.path, "file"), "");
		const env = { RESORT_BIN: join(folder.path, "file/bin") };
		const { exitCode, stderr } = await install({ env });
		expect(exitCode).toBe(1);
		expect(stderr).toContain(
			`cannot create the folder ${env.RESORT_BIN}; choose another one with RESORT_BIN`,
		);
		expect(existsSync(env.RESORT_BIN)).toBe(false);
	});
});
