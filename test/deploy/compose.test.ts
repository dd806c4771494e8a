import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { configuration } from "../../src/cli/features.ts";
import { URL_VARIABLE } from "../../src/features/testing/settings.ts";
import { readDocument, root } from "../support/documents.ts";
import type { Service } from "./action.ts";
import { editOf } from "./nginx.ts";

/** The tested parts of a compose file. */
interface Compose {
	readonly services: Readonly<Record<string, Service>>;
	readonly secrets: Readonly<Record<string, { readonly file: string }>>;
	readonly networks: {
		readonly resort: { readonly ipam: { readonly config: readonly { subnet: string }[] } };
	};
}

const names = ["compose.yaml", "compose.postgres.yaml", "compose.ci.yaml"];
test.each(names)("deploy/%s uses only existing settings", (name) => {
	const { services } = Bun.YAML.parse(readDocument(`deploy/${name}`)) as Compose;
	const given = Object.values(services)
		.flatMap(({ environment = {} }) => Object.keys(environment))
		.filter((variable) => variable.startsWith("RESORT_"));
	expect(given).not.toBeEmpty();
	const known = Object.keys(configuration.settings).flatMap((setting) => {
		const variable = `RESORT_${setting.toUpperCase().replaceAll("-", "_")}`;
		return [variable, `${variable}_FILE`];
	});
	// `URL_VARIABLE` is read by tests, not by the resort.
	expect([...known, URL_VARIABLE]).toEqual(expect.arrayContaining(given));
});

describe("deploy/compose.postgres.yaml", () => {
	const compose = Bun.YAML.parse(readDocument("deploy/compose.postgres.yaml")) as Compose;
	const { services } = compose;
	const addressOf = (name: string) => services[name]?.networks?.resort.ipv4_address ?? "";
	const instances = ["resort-1", "resort-2", "resort-3"];

	test("edits nginx's main configuration by the command in a comment of nginx.postgres.conf", () => {
		const edit = editOf(readDocument("deploy/nginx.postgres.conf"));
		expect(edit).toContain("worker_connections");
		expect(services.nginx?.command?.join(" ")).toStartWith(`sh -c ${edit} &&`);
	});

	test("gives each service an address, and nginx.postgres.conf lists those of the three instances", () => {
		expect(Object.keys(services).sort()).toEqual(["nginx", "postgres", ...instances].sort());
		const servers = [
			...readDocument("deploy/nginx.postgres.conf").matchAll(/^\tserver ([\d.]+):3000 /gm),
		].map(([, address]) => address);
		expect(servers).toEqual(instances.map(addressOf));
		const all = Object.keys(services).map(addressOf);
		expect(new Set(all).size).toBe(all.length);
		const [{ subnet = "" } = {}] = compose.networks.resort.ipam.config;
		for (const address of all) {
			expect(address).toStartWith(subnet.replace("0/24", ""));
		}
		for (const name of instances) {
			const { environment = {}, depends_on } = services[name] ?? {};
			expect(environment.RESORT_TRUSTED_PROXIES).toBe(addressOf("nginx"));
			expect(depends_on).toHaveProperty("postgres.condition", "service_healthy");
		}
		expect(services.postgres?.healthcheck?.test).toContain("pg_isready");
	});

	test("contains no password, and mounts only existing files", () => {
		const used = Object.values(services).flatMap((one) => one.secrets ?? []);
		expect([...new Set(used)].sort()).toEqual(Object.keys(compose.secrets).sort());
		const ignored = readDocument(".gitignore");
		for (const { file } of Object.values(compose.secrets)) {
			expect(existsSync(join(root, "deploy", file))).toBe(false);
			expect(ignored).toContain(file.replace("./", "/deploy/"));
		}
		const mounted = Object.values(services)
			.flatMap(({ volumes = [] }) => volumes)
			.filter((volume) => volume.startsWith("./"));
		expect(mounted).not.toBeEmpty();
		for (const volume of mounted) {
			const [path = ""] = volume.split(":");
			expect(existsSync(join(root, "deploy", path))).toBe(true);
		}
	});
});
