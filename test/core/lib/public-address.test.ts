import { expect, test } from "bun:test";
import { isPublicAddress } from "../../../src/core/lib/ip-address.ts";

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
