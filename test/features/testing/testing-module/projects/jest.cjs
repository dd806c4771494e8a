/** @jest-environment jsdom */
const { visit } = require("./visit.cjs");

test.each([undefined, { legacyFakeTimers: true }])("Jest with jsdom and fake timers %j", async (options) => {
	jest.useFakeTimers(options);
	await visit();
});
