import { expect, test } from "bun:test";
import { TestResort } from "../../support/resort.ts";
import { UUID_V7 } from "../../support/values.ts";
import { emptyDisk, fillDisk, outageCause } from "./outage.ts";

const LONG = { name: "Ada", bio: "long ".repeat(100) };

/** Sends registrations until `times` of them have failed. */
async function knock(app: TestResort, times: number): Promise<void> {
	for (let done = 0; done < times; ) {
		const { status } = await app.call("POST", "/api/agents", { body: LONG });
		if (status === 503) done++;
	}
}

test("at most one storage failure is logged every 5 s, with the number of failures that were not logged", async () => {
	const app = new TestResort();
	await fillDisk(app);
	await knock(app, 20);
	expect(app.log).toHaveLength(1);
	expect(app.log[0]).toMatchObject({
		level: "error",
		message: "Storage unavailable",
		properties: {
			route: "/api/agents",
			requestId: expect.stringMatching(UUID_V7),
			error: expect.stringMatching(outageCause),
		},
	});
	expect(app.log[0]?.properties).not.toHaveProperty("untold");
	app.advance(4_999);
	await knock(app, 1);
	expect(app.log).toHaveLength(1);
	app.advance(1);
	await knock(app, 1);
	expect(app.log).toHaveLength(2);
	expect(app.log[1]?.properties).toMatchObject({ untold: 20 });
	app.advance(5_000);
	await knock(app, 1);
	expect(app.log[2]?.properties).not.toHaveProperty("untold");
	await emptyDisk(app);
	expect((await app.register()).key).toStartWith("ar_");
	await app.close();
});
