import { readFileSync } from "node:fs";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * How many commits a write-ahead log holds (https://www.sqlite.org/fileformat2.html, 4): the frames
 * of the log's present run whose header names a size of the database, which only a commit's last does.
 * @param file the path of the database
 */
export function commitsInWal(file: string): number {
	const wal = readFileSync(`${file}-wal`);
	if (wal.length === 0) return 0;
	const pageSize = wal.readUInt32BE(8);
	const salts = wal.toString("hex", 16, 24);
	let commits = 0;
	for (
		let at = HEADER_BYTES;
		at < wal.length;
		at += FRAME_HEADER_BYTES + pageSize
	) {
		const isOfThisRun = wal.toString("hex", at + 8, at + 16) === salts;
		if (isOfThisRun && wal.readUInt32BE(at + 4) > 0) commits++;
	}
	return commits;
}
