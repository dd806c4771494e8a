import { expect } from "bun:test";
import { join } from "node:path";
import { readDocument, root } from "../support/documents.ts";
import { executable, run, type Serving, serve } from "../support/executable.ts";
import { useTemporaryFolder } from "../support/folder.ts";
import { testWith } from "../support/tools.ts";
import { freePorts } from "./nginx.ts";

/** The tested parts of a container in the files for CI. */
interface Service {
	readonly environment?: Readonly<Record<string, string>>;
	readonly env?: Readonly<Record<string, string>>;
	readonly options?: string;
	readonly volumes?: readonly string[];
	readonly command?: readonly string[];
	readonly healthcheck?: { readonly test: readonly string[] };
	readonly depends_on?: object;
}

const compose = Bun.YAML.parse(readDocument("deploy/compose.ci.yaml")) as {
	readonly services: { readonly resort: Service; readonly tests: Service };
};
const workflow = Bun.YAML.parse(readDocument("deploy/github-services.yml")) as {
	readonly jobs: {
		readonly test: {
			readonly services: { readonly resort: Service };
			readonly env: Readonly<Record<string, string>>;
			readonly steps: readonly { readonly run?: string }[];
		};
	};
};
const job = workflow.jobs.test;

const folder = useTemporaryFolder();
const cwd = folder.path;

/** The environment variables that the image sets. */
const ofImage = Object.fromEntries(
	(/^ENV (.*)$/m.exec(readDocument("deploy/Dockerfile"))?.[1] ?? "")
		.split(" ")
		.map((pair) => pair.split("=")),
);

/** Returns the variables of a container for the executable, with a free port. */
async function variablesOf(service: Service) {
	const [port = 0] = await freePorts(1);
	const env: Record<string, string> = {
		...ofImage,
		...service.environment,
		...service.env,
		RESORT_PORT: String(port),
	};
	const [fixtures] = service.volumes ?? [];
	const [from = "", to] = fixtures?.split(":") ?? [];
	if (to !== undefined) {
		expect(env.RESORT_FIXTURES).toBe(to);
		env.RESORT_FIXTURES = join(root, "deploy", from);
	}
	return env;
}

/** The command of the test container in the compose file, with the path of the mounted file. */
const { command = [], volumes = [], depends_on } = compose.services.tests;
const [from = "", to = ""] = volumes[0]?.split(":") ?? [];
const program = command.map((part) => part.replace(to, join(root, "deploy", from)));
const script = job.steps.at(-1)?.run ?? "";

const { resort: composed, tests } = compose.services;
const containers: [string, Service, Service, readonly string[]][] = [
	["deploy/compose.ci.yaml", composed, tests, program],
	["deploy/github-services.yml", job.services.resort, job, ["sh", "-c", script]],
];

testWith(["python3"], "the examples for CI connect tests to an instance", async () => {
	for (const [name, service, caller, program] of containers) {
		const env = await variablesOf(service);
		const resort = await serve([], { cwd, env, program: [executable, "serve"] });
		// The image has no shell, so the command must be in exec form.
		const exec = ["CMD", "/usr/local/bin/resort", "healthcheck"];
		expect(service.healthcheck?.test ?? exec, name).toEqual(exec);
		expect(service.options ?? "").not.toContain("--health-cmd");
		expect((await run(["healthcheck"], { cwd, env })).exitCode).toBe(0);
		const called = new URL(caller.environment?.RESORT_URL ?? caller.env?.RESORT_URL ?? "");
		expect(called.port).toBe(ofImage.RESORT_PORT);
		expect(await tryReset(resort, called.host)).toBe(200);
		expect(await tryReset(resort, "evil.test")).toBe(403);
		const { port } = new URL(resort.url);
		expect(await call(program, `http://127.0.0.1:${port}`), name).toBe(0);
		await resort.stop();
	}
	expect(depends_on).toHaveProperty("resort.condition", "service_healthy");
});

async function tryReset({ url }: Serving, host: string): Promise<number> {
	const { port } = new URL(url);
	const { status } = await fetch(`http://127.0.0.1:${port}/test/reset`, {
		method: "POST",
		headers: { host },
	});
	return status;
}

/** Runs a program and returns its exit code. */
async function call(command: readonly string[], RESORT_URL: string) {
	const child = Bun.spawn([...command], {
		env: { PATH: process.env.PATH ?? "", RESORT_URL },
		stderr: "ignore",
	});
	return await child.exited;
}
