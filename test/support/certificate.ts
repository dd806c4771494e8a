import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { TemporaryFolder } from "./folder.ts";
import { runTool } from "./tools.ts";

/** A self-signed certificate. */
export interface Certificate {
	readonly key: string;
	readonly cert: string;
}

/** Creates a self-signed certificate with `openssl`. A negative number of days creates an expired one. */
export async function makeCertificate(name: string, days = 2): Promise<Certificate> {
	using folder = new TemporaryFolder();
	const key = join(folder.path, "key.pem");
	const request = join(folder.path, "request.pem");
	const cert = join(folder.path, "cert.pem");
	for (const args of [
		[
			"req",
			"-new",
			"-newkey",
			"ec",
			"-pkeyopt",
			"ec_paramgen_curve:P-256",
			"-nodes",
			"-subj",
			`/CN=${name}`,
			"-addext",
			`subjectAltName=${isIP(name) ? "IP" : "DNS"}:${name}`,
			"-keyout",
			key,
			"-out",
			request,
		],
		[
			"x509",
			"-req",
			"-in",
			request,
			"-signkey",
			key,
			"-copy_extensions",
			"copy",
			"-days",
			`${days}`,
			"-out",
			cert,
		],
	]) {
		const { exitCode, output } = await runTool("openssl", args);
		if (exitCode !== 0) throw new Error(output);
	}
	return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}
