import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDocument, root } from "../support/documents.ts";
import { TemporaryFolder } from "../support/folder.ts";

/** The tested parts of a step of a workflow or a composite action. */
interface Step {
	readonly id?: string;
	readonly name: string;
	readonly uses?: string;
	readonly shell?: string;
	readonly env?: Readonly<Record<string, string>>;
	readonly with?: Readonly<Record<string, string>>;
	readonly run?: string;
}

/** The tested parts of a container in a compose file or a workflow. */
export interface Service {
	readonly environment?: Readonly<Record<string, string>>;
	readonly env?: Readonly<Record<string, string>>;
	readonly options?: string;
	readonly secrets?: readonly string[];
	readonly volumes?: readonly string[];
	readonly networks?: { readonly resort: { readonly ipv4_address: string } };
	readonly depends_on?: object;
	readonly command?: readonly string[];
	readonly healthcheck?: { readonly test: readonly string[] };
}

/** The action in `action.yml`. */
export const action = Bun.YAML.parse(readDocument("action.yml")) as {
	readonly inputs: Readonly<Record<string, { readonly default: string }>>;
	readonly outputs: Readonly<Record<string, { readonly value: string }>>;
	readonly runs: { readonly steps: readonly Step[] };
};

/** Reads a workflow. @param name the file in `.github/workflows` */
export function readWorkflow(name: string): {
	readonly jobs: Readonly<Record<string, { readonly steps?: readonly Step[] }>>;
} {
	return Bun.YAML.parse(readDocument(`.github/workflows/${name}`)) as never;
}

/** Simulates a job on a runner of GitHub: runs single steps, by default those of action.yml. */
export class Job implements Disposable {
	readonly #folder = new TemporaryFolder();
	readonly path = this.#folder.path;
	readonly env: Record<string, string> = {};
	readonly outputs: Record<string, string> = {};
	#runner: Bun.Subprocess | null = null;

	constructor(
		readonly actionPath: string = root,
		readonly steps: readonly Step[] = action.runs.steps,
	) {
		mkdirSync(join(this.path, "temp"));
	}

	/** Runs a step, and waits until every process that can write to its output has ended. */
	async run(
		name: string,
		inputs: Record<string, string> = {},
		env: Record<string, string> = {},
		stays = "true",
	): Promise<{ exitCode: number; output: string }> {
		const step = this.steps.find((one) => one.name === name);
		if (step?.run === undefined) throw new Error(`no step ${name}`);
		const script = join(this.path, "temp/step.sh");
		const files = { GITHUB_ENV: "env", GITHUB_OUTPUT: "output" };
		for (const file of Object.values(files)) this.#folder.write("", file);
		writeFileSync(script, step.run);
		const own = Object.entries(step.env ?? {}).map(([variable, value]) => [
			variable,
			this.#valueOf(value, inputs),
		]);
		const bash = `mkfifo ${this.path}/pipe; cat ${this.path}/pipe >${this.path}/told &
			bash --noprofile --norc -eo pipefail ${script} >${this.path}/pipe 2>&1; code=$?
			rm ${this.path}/pipe; wait; echo $code; exec >&-; ${stays}`;
		this.#runner = Bun.spawn(["sh", "-c", bash], {
			cwd: this.path,
			env: {
				PATH: process.env.PATH ?? "",
				RUNNER_TEMP: join(this.path, "temp"),
				RUNNER_OS: "Linux",
				RUNNER_ARCH: "X64",
				GITHUB_ACTION_PATH: this.actionPath,
				GITHUB_ENV: join(this.path, files.GITHUB_ENV),
				GITHUB_OUTPUT: join(this.path, files.GITHUB_OUTPUT),
				...env,
				...Object.fromEntries(own),
			},
			stdout: "pipe",
		});
		const exitCode = Number(await new Response(this.#runner.stdout as ReadableStream).text());
		Object.assign(this.env, this.#pairs(files.GITHUB_ENV));
		for (const [key, value] of Object.entries(this.#pairs("output"))) {
			this.outputs[`steps.${step.id}.outputs.${key}`] = value;
		}
		return { exitCode, output: this.#read("told") };
	}

	kill(): void {
		this.#runner?.kill("SIGKILL");
	}

	[Symbol.dispose](): void {
		this.kill();
		this.#folder[Symbol.dispose]();
	}

	/** Returns the value of an expression such as `${{ inputs.seed }}`. */
	#valueOf(text: string, inputs: Record<string, string>): string {
		const [, name = ""] = /^\$\{\{ ([\w.-]+) \}\}$/.exec(text) ?? [];
		const input = name.replace("inputs.", "");
		const preset = action.inputs[input]?.default;
		return inputs[input] ?? this.outputs[name] ?? preset ?? "";
	}

	#pairs(file: string): Record<string, string> {
		const lines = this.#read(file).split("\n").slice(0, -1);
		return Object.fromEntries(
			lines.map((line) => {
				const at = line.indexOf("=");
				return [line.slice(0, at), line.slice(at + 1)];
			}),
		);
	}

	#read(name: string): string {
		return readFileSync(join(this.path, name), "utf8");
	}
}
