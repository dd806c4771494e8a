/** Tests a library with which a Node program reads the event stream. */
import { testPeer } from "../peer.ts";

/**
 * A program that prints the events before and after a cut of the stream. The library reconnects after two
 * seconds.
 */
const STREAM = `import { EventSource } from "eventsource";
import { connect } from "agent-resort/testing";

const resort = await connect(process.argv[2]);
const act = (path) => fetch(resort.url + "/api/" + path, {
	method: "POST",
	headers: { authorization: "Bearer " + process.argv[3] },
});
// The library does not keep the process alive while it waits to connect again.
const alive = setInterval(() => {}, 1_000);
const source = new EventSource(resort.url + "/api/events");
const received = [];
const next = (type) => new Promise((resolve) => source.addEventListener(type, ({ lastEventId }) => {
	received.push(type + " " + lastEventId);
	resolve();
}, { once: true }));
await new Promise((resolve) => { source.onopen = resolve; });
const first = next("agent.relaxing");
await act("checkin");
await first;
const second = next("agent.available");
await resort.cutStreams();
await act("checkout");
await second;
source.close();
clearInterval(alive);
console.log(received.join());
`;

testPeer("eventsource", ["eventsource@5.1.5"], async ({ expectOutput, installModule, serve, write }) => {
	const resort = await serve({ fixtures: { agents: [{ name: "Ada" }] } });
	await installModule();
	write("stream.mjs", STREAM);
	const [key = ""] = Object.values(resort.keys);
	await expectOutput("agent.relaxing 1,agent.available 2", ["node", "stream.mjs", resort.url, key]);
});
