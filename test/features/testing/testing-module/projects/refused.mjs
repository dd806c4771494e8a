/**
 * Stops an instance that has ended while `nextTick` was fake, and connects while a library refuses connections.
 */
import assert from "node:assert/strict";
import { ChildProcess } from "node:child_process";
import http from "node:http";
import { connect, startResort } from "agent-resort/testing";

const exited = new Promise((resolve) => {
	const { emit } = ChildProcess.prototype;
	ChildProcess.prototype.emit = function (name, ...values) {
		if (name === "exit") setImmediate(resolve);
		return emit.call(this, name, ...values);
	};
});
// Keeps this process running, because an instance alone does not.
const timer = setInterval(() => {}, 1_000);
const { nextTick } = process;
const resort = await startResort();
process.nextTick = () => {};
await assert.rejects(resort.stop(), /process.nextTick is fake/);
await exited;
process.nextTick = nextTick;
await resort.stop();
clearInterval(timer);
http.Agent.prototype.createConnection = () => {
	throw Object.assign(new Error("Refused by a library"), { code: "ENETUNREACH" });
};
await assert.rejects(connect("http://127.0.0.1:1"), {
	message: "http://127.0.0.1:1 does not answer: Refused by a library",
});
