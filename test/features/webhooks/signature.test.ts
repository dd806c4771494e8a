import { expect, test } from "bun:test";
import { signedHeaders } from "../../../src/features/webhooks/webhook-message.ts";

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
