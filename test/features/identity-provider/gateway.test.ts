/** Tests the executable with calls from a gateway: the OpenAPI handler of better-auth's Agent Auth plugin. */
import { expect, test } from "bun:test";
import { createOpenAPIHandler, fromOpenAPI } from "@better-auth/agent-auth/openapi";
import type { Body } from "../../support/body.ts";
import { expectNoWarnings, useServer } from "../../support/use-resort.ts";
import { fogBathing } from "../../support/values.ts";
import { SECRETS, sign } from "./calls.ts";

type Handler = ReturnType<typeof createOpenAPIHandler>;
type Execution = Parameters<Handler>[0];

const env = { RESORT_IDENTITY_URL: "http://127.0.0.1:1", RESORT_IDENTITY_SECRET: SECRETS[0] };
const resort = useServer(["serve", "--ephemeral"], { env }, expectNoWarnings);

test("an agent can spend a stay through a gateway that derives its capabilities from the OpenAPI document", async () => {
	const { body } = await resort.call("GET", "/openapi.json");
	const document = body as object as Parameters<typeof fromOpenAPI>[0] & {
		paths: Record<string, Record<string, { operationId: string }>>;
	};
	const names = Object.values(document.paths).flatMap((methods) =>
		Object.values(methods).map(({ operationId }) => operationId),
	);
	const capabilities = fromOpenAPI(document).map(({ name }) => name);
	expect(capabilities.toSorted()).toEqual(names.toSorted());

	const execute = async (capability: string, args: object = {}) => {
		const send = (target: unknown, init: RequestInit = {}) => {
			// Signs the URL that is sent, in which the URL parser has resolved segments such as "..".
			const url = new URL(String(target)).href;
			const headers = new Headers(init.headers);
			const body = typeof init.body === "string" ? { body: init.body } : {};
			const signed = sign({ method: init.method ?? "GET", url, capability, ...body });
			for (const [name, value] of Object.entries(signed)) headers.set(name, value);
			return fetch(url, { ...init, headers });
		};
		const handler = createOpenAPIHandler(document, {
			baseUrl: resort.url,
			fetch: Object.assign(send, { preconnect: fetch.preconnect }),
		});
		return (await handler({ capability, arguments: args } as Execution)) as Body;
	};
	const refused = (capability: string, args: object, why: string) =>
		expect(execute(capability, args)).rejects.toThrow(`Upstream API error ${why}`);

	const float = { id: "tidepool-float", notes: "Warm." };
	await refused("doActivity", float, '400: {"error":"Not checked in"');
	const { stay } = await execute("checkIn", { moodOnArrival: "curious" });
	const done = await execute("doActivity", float);
	expect(done.activity.id).toBe(float.id);
	for (const id of ["a/b", "..", "é?x=1#"]) {
		await refused("doActivity", { id }, "404");
	}
	const { experience } = await execute("createExperience", fogBathing);
	const { experiences } = await execute("listExperiences", { search: "fog bathing", limit: 2 });
	expect(experiences.map(({ id }) => id)).toEqual([experience.id]);
	await execute("checkOut", { moodOnDeparture: "rested" });
	const { stays } = await execute("listStays", { limit: 1 });
	expect(stays.map(({ id }) => id)).toEqual([stay.id]);
});
