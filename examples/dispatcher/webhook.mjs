// Gives work to agents once they are available. Its arguments are their ids, as in the webhook's agentIds.
import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

async function assign(free) {
	const answer = await fetch(`${process.env.RESORT_URL}/api/agents/status?ids=${free}`);
	const { statuses } = await answer.json();
	for (const { agent, status } of statuses) if (status === "available") console.log("assign", agent.id);
}
async function take(request) {
	const [{ headers }, body] = [request, await text(request)];
	const { type, agent } = JSON.parse(body);
	// A ping is sent before the receiver knows the secret, and requires no work.
	if (type === "webhook.ping") return 204;
	const key = Buffer.from(readFileSync("webhook-secret", "utf8").trim().replace("whsec_", ""), "base64");
	const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
	const right = Buffer.from(`v1,${createHmac("sha256", key).update(content).digest("base64")}`);
	const given = `${headers["webhook-signature"]}`.split(" ").map((one) => Buffer.from(one));
	const isSigned = given.some((one) => one.length === right.length && timingSafeEqual(one, right));
	if (!isSigned || !(Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"])) < 300)) return 401;
	if (type === "agent.available") await assign([agent.id]);
	return 204;
}
createServer(async (request, response) => {
	response.writeHead(await take(request).catch(() => 503)).end();
}).listen(Number(process.env.PORT ?? 8080), () => assign(process.argv.slice(2)));
