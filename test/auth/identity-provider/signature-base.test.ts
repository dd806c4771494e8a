import { expect, test } from "bun:test";
import { hmac, signatureBase } from "../../../src/auth/identity-provider/signature-base.ts";

/** RFC 9421 appendix B.1.5. */
const SHARED_SECRET = Buffer.from(
	"uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==",
	"base64",
);

test("RFC 9421 appendix B.2.5: base and signature", () => {
	const base = signatureBase(
		[
			["date", "Tue, 20 Apr 2021 02:07:55 GMT"],
			["@authority", "example.com"],
			["content-type", "application/json"],
		],
		'("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
	);
	expect(base).toBe(
		[
			'"date": Tue, 20 Apr 2021 02:07:55 GMT',
			'"@authority": example.com',
			'"content-type": application/json',
			'"@signature-params": ("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
		].join("\n"),
	);
	expect(hmac(SHARED_SECRET, base).toString("base64")).toBe("pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=");
});
