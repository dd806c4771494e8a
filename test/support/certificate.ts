import { readFileSync } from "node:fs";
import { isIP } from "node:net";
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
	const { exitCode, output } = await runTool("sh", [
		"-ec",
		`cd ${folder.path}
		openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=${name} \\
			-addext subjectAltName=${isIP(name) ? "IP" : "DNS"}:${name} -keyout key.pem -out request.pem
		openssl x509 -req -in request.pem -signkey key.pem -copy_extensions copy -days ${days} -out cert.pem`,
	]);
	if (exitCode !== 0) throw new Error(output);
	const read = (file: string) => readFileSync(folder.file(file), "utf8");
	return { key: read("key.pem"), cert: read("cert.pem") };
}
