import { sha256 } from "../../lib/credential.ts";

/** The most sessions at a time; the oldest ends when one more begins. */
const MAX_SESSIONS = 50_000;

/** A browser session that was made with a central key. */
export interface CentralSession {
	/** The key, which is checked again at each use. */
	readonly apiKey: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
}

/**
 * The sessions of the identity-provider mode. Each holds the key that made it, so sessions are kept in memory only:
 * after a restart the guest logs in again.
 */
export class CentralSessions {
	/** By SHA-256 of the token, oldest first; all last equally long. */
	readonly #byHash = new Map<string, CentralSession>();

	/** How many are remembered. */
	get size(): number {
		return this.#byHash.size;
	}

	/** Remembers a session, and forgets those that have ended. */
	add(token: string, session: CentralSession, nowMs: number): void {
		for (const [hash, { expiresAt }] of this.#byHash) {
			if (expiresAt > nowMs && this.#byHash.size < MAX_SESSIONS) break;
			this.#byHash.delete(hash);
		}
		this.#byHash.set(hashOf(token), session);
	}

	/** @returns null when the token is unknown, or its session has ended */
	find(token: string, nowMs: number): CentralSession | null {
		const session = this.#byHash.get(hashOf(token));
		return session !== undefined && session.expiresAt > nowMs ? session : null;
	}

	/** Ends a session. */
	remove(token: string): void {
		this.#byHash.delete(hashOf(token));
	}

	/** Ends all sessions. */
	clear(): void {
		this.#byHash.clear();
	}
}

function hashOf(token: string): string {
	return sha256(token).toHex();
}
