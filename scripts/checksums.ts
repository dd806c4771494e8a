import { join } from "node:path";

/**
 * Returns the SHA-256 checksums of files in the format of `sha256sum --check`, sorted by name.
 * @param names the names of the files in the folder
 * @throws Error if a file cannot be read
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
