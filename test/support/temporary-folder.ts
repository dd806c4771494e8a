import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder; `using` deletes it. */
export class TemporaryFolder implements Disposable {
	readonly path = mkdtempSync(join(tmpdir(), "resort-test-"));

	file(name = "resort.sqlite"): string {
		return join(this.path, name);
	}

	write(content: string | Uint8Array, name = "file"): string {
		writeFileSync(this.file(name), content);
		return this.file(name);
	}

	/** What is in it: each name with the bytes of the file, to compare before and after. */
	contents(): Record<string, string> {
		const names = readdirSync(this.path, { withFileTypes: true })
			.filter((entry) => !entry.isSocket())
			.map(({ name }) => name)
			.toSorted();
		return Object.fromEntries(names.map((name) => [name, readFileSync(this.file(name)).toBase64()]));
	}

	[Symbol.dispose](): void {
		rmSync(this.path, { recursive: true, force: true });
	}
}
