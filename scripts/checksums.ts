import { join } from "node:path";

/**
 * The SHA-256 of some files, in the form that `sha256sum --check` reads, in the order of their names.
 * @param names files in the folder
 * @throws Error when one cannot be read
 */
export async function checksums(folder: string, names: readonly string[]): Promise<string> {
	let lines = "";
	for (const name of [...names].sort()) {
		const hasher = new Bun.CryptoHasher("sha256");
		for await (const chunk of Bun.file(join(folder, name)).stream()) {
			hasher.update(chunk);
		}
		lines += `${hasher.digest("hex")}  ${name}\n`;
	}
	return lines;
}
