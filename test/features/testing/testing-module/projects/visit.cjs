/**
 * What a user's test does while the timers of the process are fake and `fetch` and `http.request` are stubs. This
 * file requires the package `agent-resort` in node_modules, and the path of the executable in RESORT_EXECUTABLE.
 */
const assert = require("node:assert/strict");
const { appendFileSync } = require("node:fs");
const http = require("node:http");
const { connect, startResort } = require("agent-resort/testing");

const originalRequest = http.request;

/** Replaces `fetch` and `http.request` by stubs that send no request. */
function stubRequests() {
	globalThis.fetch = async () => ({ ok: true, status: 200, json: async () => ({ ok: true }) });
	http.request = () => {
		throw new Error("http.request is a stub");
	};
}

/**
 * Uses the methods that need a timer or the network. Call it while the timers are fake. Leaves one of two instances
 * running, and adds its address to the file `urls`.
 */
async function visit() {
	stubRequests();
	try {
		appendFileSync("urls", `${(await startResort()).url}\n`);
		const resort = await startResort({
			fixtures: { agents: [{ name: "Ada" }] },
			now: new Date(),
			frozen: true,
		});
		const { now } = await resort.state();
		assert.equal(now, new Date().toISOString());
		await resort.advance(60);
		await resort.reset();
		assert.equal((await resort.state()).now, now);
		const fault = await resort.fault({ operation: "getLobby", drop: true });
		assert.deepEqual(await (await connect(resort.url)).faults(), [fault]);
		await resort.stop();
		await assert.rejects(resort.reset(), /resort was stopped/);
		await assert.rejects(connect(resort.url), /does not answer: .*ECONNREFUSED/);
	} finally {
		http.request = originalRequest;
	}
}

module.exports = { visit };
