const assert = require("node:assert/strict");
const sinon = require("sinon");
const { startResort } = require("agent-resort/testing");
const { visit } = require("./visit.cjs");

describe("Mocha with Sinon", () => {
	afterEach(() => sinon.restore());

	it("fakes all but nextTick", async () => {
		sinon.useFakeTimers({ now: Date.now(), toNotFake: ["nextTick"] });
		await visit();
	});

	it("rejects calls while nextTick is fake, because requests of Node would hang", async () => {
		const resort = await startResort();
		const reason = /process\.nextTick is fake.* toNotFake/;
		sinon.useFakeTimers();
		await assert.rejects(resort.state(), reason);
		await assert.rejects(startResort(), reason);
		await assert.rejects(resort.stop(), reason);
	});
});
