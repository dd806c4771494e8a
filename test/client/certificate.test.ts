import { describe, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate } from "../support/certificate.ts";
import { useTemporaryFolder } from "../support/folder.ts";
import { testWith } from "../support/tools.ts";
import { clientHouse, quietResort, wrappings } from "./client.ts";

const folder = useTemporaryFolder();

describe.each(wrappings)("%s over https:", (_, program) => {
	testWith(["openssl"], "sends the key only to a server with a valid certificate", async () => {
		const { key, cert } = await makeCertificate("localhost");
		await using server = quietResort({ key, cert });
		const ca = join(folder.path, "ca.pem");
		writeFileSync(ca, cert);
		const codeOf = async (host: string, env: Record<string, string>) => {
			const url = `https://${host}:${server.port}`;
			const own = { RESORT_API_URL: url, RESORT_API_KEY: "ar_k" };
			using ada = clientHouse(program, { ...own, ...env });
			return (await ada.run(["overview", "--insecure"])).exitCode;
		};
		const isOff = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
		const isTrusted = { NODE_EXTRA_CA_CERTS: ca };
		expect(await codeOf("localhost", {})).toBe(7);
		expect(await codeOf("localhost", isOff)).toBe(7);
		expect(server.asked).toBeEmpty();
		expect(await codeOf("localhost", isTrusted)).toBe(0);
		expect(await codeOf("127.0.0.1", isTrusted)).toBe(7);
		const keys = server.asked.map(({ headers }) => headers.authorization);
		expect(keys).toEqual(["Bearer ar_k"]);
	});
});
