import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { createWebhookSecret } from "../../src/lib/credential.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { signedHeaders } from "../../src/webhooks/webhook-message.ts";

const body = JSON.stringify({ type: "agent.relaxing", name: "Möwe 🌊" });

test("a signature is what the Standard Webhooks library takes", () => {
	const secret = createWebhookSecret(systemRandom);
	expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
	const headers = signedHeaders(secret, "msg_1", body, Date.now());
	expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
	const others = [
		() => new Webhook(createWebhookSecret(systemRandom)).verify(body, headers),
		() => new Webhook(secret).verify(`${body} `, headers),
		() =>
			new Webhook(secret).verify(body, { ...headers, "webhook-id": "msg_2" }),
		() =>
			new Webhook(secret).verify(
				body,
				signedHeaders(secret, "msg_1", body, Date.now() - 600_000),
			),
	];
	for (const verify of others) expect(verify).toThrow();
});

test("a signature is that of the specification's example", () => {
	const headers = signedHeaders(
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
		"msg_p5jXN8AQM9LWM0D4loKWxJek",
		'{"test": 2432232314}',
		1_614_265_330_000,
	);
	expect(headers).toMatchObject({
		"webhook-timestamp": "1614265330",
		"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	});
});
