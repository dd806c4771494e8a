import { describe, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate } from "../support/certificate.ts";
import { runClient, wrappings } from "../support/client.ts";
import { temporaryFolder } from "../support/executable.ts";
import { testWith } from "../support/tools.ts";

describe.each(wrappings)("%s over https:", (_, program) => {
	testWith(
		["openssl"],
		"tells the key to a good certificate alone",
		async () => {
			const { key, cert } = await makeCertificate("localhost");
			const keys: (string | null)[] = [];
			const server = Bun.serve({
				port: 0,
				hostname: "127.0.0.1",
				tls: { key, cert },
				fetch({ headers }) {
					keys.push(headers.get("authorization"));
					return Response.json({ ok: true });
				},
			});
			using home = temporaryFolder();
			const ca = join(home.path, "ca.pem");
			writeFileSync(ca, cert);
			const run = (env: Record<string, string>) =>
				runClient(program, ["overview", "--insecure"], {
					home: home.path,
					env: {
						RESORT_API_URL: `https://localhost:${server.port}`,
						RESORT_API_KEY: "ar_k",
						...env,
					},
				});
			const isOff = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
			for (const env of [{}, isOff]) {
				expect((await run(env)).exitCode).toBe(7);
			}
			expect(keys).toBeEmpty();
			expect((await run({ NODE_EXTRA_CA_CERTS: ca })).exitCode).toBe(0);
			const elsewhere = { RESORT_API_URL: `https://127.0.0.1:${server.port}` };
			const named = await run({ ...elsewhere, NODE_EXTRA_CA_CERTS: ca });
			expect(named.exitCode).toBe(7);
			expect(keys).toEqual(["Bearer ar_k"]);
			await server.stop(true);
		},
	);
});
