import { expect, test } from "bun:test";
import { introspectionPassword, proxyKey } from "../../../src/auth/identity-provider/derived-keys.ts";

const SECRET = "a-secret-of-at-least-thirty-two-characters";

test("the derived keys are those of other implementations", () => {
	// openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt key:… -kdfopt info:… HKDF
	expect(proxyKey(SECRET).toHex()).toBe("055ff81d6fef1845445844732dd3d0f3d826a99fd67dd1212bec919838c35a94");
	expect(introspectionPassword(SECRET)).toBe("Uy-KLi3_fPus3efnQSXubGyD2oT1cHbB9ZbL0XyNtxk");
});
