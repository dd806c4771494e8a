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

	it("is told of a fake nextTick, by which Node's own requests would hang too", async () => {
		const resort = await startResort();
		const reason = /process\.nextTick is fake.* toNotFake/;
		sinon.useFakeTimers();
		await assert.rejects(resort.state(), reason);
		await assert.rejects(startResort(), reason);
		await assert.rejects(resort.stop(), reason);
	});
});
