import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TemporaryFolder } from "./temporary-folder.ts";
import { runTool } from "./tools.ts";

/** A certificate that nobody signed but itself. */
export interface Certificate {
	readonly key: string;
	readonly cert: string;
}

/** Makes a self-signed certificate for a name, by the program `openssl`. */
export async function makeCertificate(name: string): Promise<Certificate> {
	using folder = new TemporaryFolder();
	const key = join(folder.path, "key.pem");
	const cert = join(folder.path, "cert.pem");
	const { exitCode, output } = await runTool("openssl", [
		...["req", "-x509", "-newkey", "ec", "-pkeyopt"],
		...["ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj"],
		...[`/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`],
		...["-keyout", key, "-out", cert],
	]);
	if (exitCode !== 0) throw new Error(output);
	return {
		key: readFileSync(key, "utf8"),
		cert: readFileSync(cert, "utf8"),
	};
}
