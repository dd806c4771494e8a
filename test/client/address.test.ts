import { describe, expect, test } from "bun:test";
import { resortAddress } from "../../src/client/configuration.ts";

describe("resortAddress", () => {
	test.each([
		"https://resort.example",
		"https://resort.example:8443/spa/",
		"http://127.0.0.1:3000",
		"http://127.1.2.3",
		"http://0x7f.1",
		"http://[::1]:3000",
		"http://localhost:3000",
	])("accepts %s", (text) => {
		expect(resortAddress(text, "it", false)).not.toEndWith("/");
	});

	test.each([
		"",
		"resort.example",
		"javascript:alert(1)",
		"file:///etc/passwd",
		"ftp://resort.example",
		"https://user:password@resort.example",
		"https://user@resort.example",
		"https://:password@resort.example",
		"https://resort.example?key=x",
		"https://resort.example#x",
		"http://resort.example",
		"http://127.0.0.1.resort.example",
		"http://localhost.resort.example",
		"http://127.0.0.1@resort.example",
		"http://notlocalhost",
		"http://resort.localhost",
		"http://0.0.0.0",
		"http://10.0.0.1",
		"http://[::]",
		"http://[::ffff:127.0.0.1]",
	])("refuses %s", (text) => {
		expect(() => resortAddress(text, "it", false)).toThrow("it: ");
	});

	test("accepts http: for every host with --insecure, and no other scheme", () => {
		expect(resortAddress("http://10.0.0.1/", "it", true)).toBe("http://10.0.0.1");
		expect(() => resortAddress("file:///etc", "it", true)).toThrow();
	});
});
