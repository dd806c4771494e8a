import { describe, expect, test } from "bun:test";
import {
	type AddressRange,
	clientKey,
	isLoopback,
	isPublicAddress,
	parseRange,
} from "../../../src/core/lib/ip-address.ts";

/** Parses ranges. @throws Error if one of them is invalid */
function ranges(...texts: readonly string[]): AddressRange[] {
	return texts.map((text) => {
		const range = parseRange(text);
		if (range === null) throw new Error(`${text} is not a range`);
		return range;
	});
}

describe("clientKey, without a trusted proxy", () => {
	test.each([
		["203.0.113.7", "203.0.113.7"],
		["::ffff:203.0.113.7", "203.0.113.7"],
		["::ffff:cb00:7107", "203.0.113.7"],
		["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
		["2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
		["2001:db8:1:3::", "2001:db8:1:3::/64"],
		["::1", "0:0:0:0::/64"],
	])("returns for the peer %s the key %s", (peer, key) => {
		expect(clientKey(peer, null, [])).toBe(key);
	});

	test.each(["10.0.0.1", "2001:db8::1", "::ffff:10.0.0.1"])(
		"ignores X-Forwarded-For from the peer %s",
		(peer) => {
			const proxies = ranges("10.0.0.2", "2001:db8:ffff::/48");
			const alone = clientKey(peer, null, proxies);
			expect(clientKey(peer, "203.0.113.7", proxies)).toBe(alone);
			expect(clientKey(peer, "10.0.0.2, 203.0.113.7", proxies)).toBe(alone);
		},
	);

	test("returns the peer unchanged if it is not an address", () => {
		expect(clientKey("unix", "203.0.113.7", ranges("0.0.0.0/0"))).toBe("unix");
	});
});

describe("clientKey, with trusted proxies", () => {
	const CALLER = "203.0.113.7";
	const BEHIND = "203.0.113.7, 10.9.9.9, 192.0.2.1";
	const proxies = ranges("10.0.0.0/8", "192.0.2.1", "fd00::/8");

	const cases: [name: string, peer: string, header: string | null, key: string][] = [
		["a trusted peer without X-Forwarded-For", "10.0.0.1", null, "10.0.0.1"],
		["one forwarded address", "10.0.0.1", "203.0.113.7", "203.0.113.7"],
		["addresses between spaces and a tab", "10.0.0.1", " 1.1.1.1 ,\t203.0.113.7 ", "203.0.113.7"],
		["trusted proxies after the client", "10.0.0.1", `1.1.1.1, ${BEHIND}`, CALLER],
		["only trusted addresses", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
		["a word after an address", "10.0.0.1", "1.1.1.1, unknown", "10.0.0.1"],
		["a trusted address after an empty entry", "10.0.0.1", "1.1.1.1, , 10.0.0.2", "10.0.0.2"],
		["proxies with ports", "10.0.0.1", "203.0.113.7:1, 10.0.0.2:65535", CALLER],
		["an IPv6 address with a port", "10.0.0.1", "[2001:db8::7]:443", "2001:db8:0:0::/64"],
		["an address with a zone", "10.0.0.1", "fe80::1%br-0", "fe80:0:0:0::/64"],
		["a peer with a zone", "fe80::1%br-0", null, "fe80:0:0:0::/64"],
		["an address after an open bracket", "10.0.0.1", "[2001:db8::7:443", "10.0.0.1"],
		["an address with two ports", "10.0.0.1", "203.0.113.7:80:80", "10.0.0.1"],
		["10,000 brackets", "10.0.0.1", `[${"]".repeat(1e4)}:`, "10.0.0.1"],
		["a short form of IPv4", "10.0.0.1", "1.1", "10.0.0.1"],
		["an IPv4-mapped peer", "::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"],
		["an IPv4-mapped proxy", "10.0.0.1", "203.0.113.7, ::ffff:10.1.1.1", CALLER],
		["an IPv6 caller", "fd00::1", "2001:db8:1:2:3::4", "2001:db8:1:2::/64"],
		["IPv4 and IPv6 proxies", "fd00::1", "203.0.113.7, 10.0.0.1, fd12::1", "203.0.113.7"],
		["a peer just outside a trusted range", "11.0.0.0", "203.0.113.7", "11.0.0.0"],
	];

	test.each(cases.map(([name, peer, header, key]) => [key, name, peer, header] as const))(
		"returns the key %s for %s",
		(key, _name, peer, header) => {
			expect(clientKey(peer, header, proxies)).toBe(key);
		},
	);
});

describe("parseRange", () => {
	test.each<[text: string, inside: string[], outside: string[]]>([
		["10.0.0.1", ["10.0.0.1", "::ffff:10.0.0.1"], ["10.0.0.0", "10.0.0.2"]],
		["10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0"]],
		["10.0.0.7/31", ["10.0.0.6", "10.0.0.7"], ["10.0.0.5", "10.0.0.8"]],
		["0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::1", "2001:db8::1"]],
		["2001:db8::/32", ["2001:db8::1", "2001:db8:ffff::"], ["2001:db9::"]],
		["::1", ["::1"], ["::2", "0.0.0.1"]],
		["::/0", ["::1", "2001:db8::1"], ["10.0.0.1", "::ffff:10.0.0.1"]],
		["::ffff:10.0.0.1", ["10.0.0.1"], ["10.0.0.2", "::a00:1"]],
		["::ffff:10.0.0.0/104", ["10.0.0.0", "10.255.0.1"], ["11.0.0.0", "::1"]],
		["::ffff:0:0/96", ["0.0.0.0", "255.255.255.255"], ["::1"]],
	])("parses %s", (text, inside, outside) => {
		const trusted = ranges(text);
		// Whether the range contains `peer`: then `peer` is a trusted proxy, and `clientKey` returns the key of the
		// address that the proxy forwards.
		const trusts = (peer: string) =>
			clientKey(peer, "198.51.100.99", trusted) === "198.51.100.99" ||
			clientKey(peer, "2001:db8:dead:beef::1", trusted) === "2001:db8:dead:beef::/64";
		for (const peer of inside) expect([peer, trusts(peer)]).toEqual([peer, true]);
		for (const peer of outside) {
			expect([peer, trusts(peer)]).toEqual([peer, false]);
		}
	});

	const invalid = `/ /8 10.0.0.0/ 2001:db8::/ localhost 10 10.0.0 10.0.0.256 010.0.0.1 0x7f.0.0.1 10.0.0.0/33
		10.0.0.0/-1 2001:db8::/129 ::ffff:10.0.0.0/95 10.0.0.0/8.0 10.0.0.0/1e1 10.0.0.0/8/8
		10.0.0.0/255.0.0.0 10.0.0.1:80 10.0.0.1,10.0.0.2 2001:db8:::/32 [::1]`;
	test.each(["", " ", "10.0.0.0/ 8", ...invalid.split(/\s+/)])("refuses %j", (text) => {
		expect(parseRange(text)).toBeNull();
	});
});

test.each(["localhost", "::1", "[::1]", "127.0.0.1", "127.255.255.255"])("isLoopback(%j) is true", (host) => {
	expect(isLoopback(host)).toBe(true);
});

const elsewhere =
	"::2 [::2] 126.0.0.1 128.0.0.1 localhost.test 127.0.0 127.0.0.1.1 127.0.0.1000 127.test x.127.0.0.1";
test.each(["", ...elsewhere.split(" ")])("isLoopback(%j) is false", (host) => {
	expect(isLoopback(host)).toBe(false);
});

const listed = (text: string) => text.trim().split(/\s+/);

/** Addresses of private, reserved and special networks, at their bounds, and texts that are not addresses. */
const internal = listed(`
	0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.255
	168.63.129.16 169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.31.196.1
	192.52.193.1 192.88.99.1 192.168.0.1 192.175.48.1 198.18.0.0 198.19.255.255 198.51.100.7 203.0.113.9
	224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
	:: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:a9fe:a9fe ::ffff:0:8.8.8.8
	64:ff9b::8.8.8.8 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:2::1 2001:10::1 2001:20::1
	2001:1ff:ffff::1 2001:db8::1 2002:7f00:1:: 2002:808:808::1 2620:4f:8000::1 3fff::1 3fff:fff::1 4000::1
	5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2606:4700::1%eth0
	localhost 1.2.3 0x7f.0.0.1 1.2.3.4.5 ::g
`);

const external = listed(`
	1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15
	169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255
	198.20.0.0 223.255.255.255
	2000::1 2001:200::1 2001:4860:4860::8888 2003::1 2606:4700::1111 3ffe::1
`);

test.each([...internal, ""])("isPublicAddress(%j) is false", (address) => {
	expect(isPublicAddress(address)).toBe(false);
});

test.each(external)("isPublicAddress(%j) is true", (address) => {
	expect(isPublicAddress(address)).toBe(true);
});
