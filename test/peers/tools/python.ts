import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/documents.ts";
import type { Peer } from "../peer.ts";

/** Debian's: its packages are not those of another Python on the path. */
const PYTHON = "/usr/bin/python3";

/** A child process of the test runs to its end, and leaves the instance alone. */
const MULTIPROCESSING = `import multiprocessing, sys, time
from urllib.request import urlopen
from resort_testing import start_resort

def work(url):
    assert urlopen(url + "/api/health").status == 200

if __name__ == "__main__":
    resort = start_resort()
    child = multiprocessing.get_context(sys.argv[1]).Process(target=work, args=(resort.url,))
    child.start()
    child.join(10)
    if child.is_alive():
        child.kill()
        sys.exit("the child does not exit")
    resort.state()
    sibling = multiprocessing.get_context(sys.argv[1]).Process(target=time.sleep, args=(30,))
    sibling.start()
    began = time.monotonic()
    resort.stop()
    took = time.monotonic() - began
    sibling.kill()
    print("exit code", child.exitcode, "stopped at once" if took < 2 else f"stop() took {took:.1f} s")
`;

const FORK = `import os, sys
from resort_testing import start_resort

resort = start_resort()
pid = os.fork()
if pid == 0:
    sys.exit(0)
_, status = os.waitpid(pid, 0)
print("exit code", os.waitstatus_to_exitcode(status), "agents", resort.state()["agents"])
resort.stop()
`;

/** Calls on pooled connections, one of which meets the fault. */
const AIOHTTP = `import asyncio, aiohttp
from resort_testing import start_resort

async def main(resort):
    connector = aiohttp.TCPConnector(limit=8)
    async with aiohttp.ClientSession(resort.url, connector=connector) as session:
        async def call(path):
            try:
                async with session.get(path) as response:
                    await response.read()
                    return response.status
            except aiohttp.ClientError as error:
                return type(error).__name__
        await asyncio.gather(*(call("/api/health") for _ in range(8)))
        waiting = asyncio.create_task(call("/api/events?wait=1"))
        while not resort.calls(operation="getHealth"):
            await asyncio.sleep(0.01)
        # Blocks the event loop, so that it notices what happens to its connections only with the next call.
        resort.fault("getLobby", drop=True)
        others = await asyncio.gather(*(call("/api/health") for _ in range(16)))
        dropped = await call("/api/lobby")
        after = await asyncio.gather(*(call("/api/health") for _ in range(16)))
        cut = dropped in ("ServerDisconnectedError", "ClientOSError")
        print("cut" if cut else dropped, sorted({str(one) for one in [*others, *after, await waiting]}))

with start_resort() as resort:
    asyncio.run(main(resort))
`;

const prepare = (folder: string) =>
	copyFileSync(join(root, "dist/resort_testing.py"), join(folder, "resort_testing.py"));

export const aiohttp: Peer = {
	name: "aiohttp",
	packages: [],
	needs: {
		command: [PYTHON, "-c", "import aiohttp; print(aiohttp.__version__)"],
		debian: "python3-aiohttp",
	},
	async run({ check, expectOutput, folder, write }) {
		prepare(folder);
		write("drop.py", AIOHTTP);
		await check("a fault with drop, arriving at pooled connections", "only its own call is cut", () =>
			expectOutput("cut ['200']", [PYTHON, "drop.py"]),
		);
	},
};

export const multiprocessing: Peer = {
	name: "multiprocessing",
	packages: [],
	needs: { command: [PYTHON, "--version"], debian: "python3" },
	async run({ check, expectOutput, folder, write }) {
		prepare(folder);
		write("work.py", MULTIPROCESSING);
		write("fork.py", FORK);
		for (const method of ["fork", "spawn", "forkserver"]) {
			await check(`a child started by ${method}`, "the child exits, stop() takes no 2 s", () =>
				expectOutput("exit code 0 stopped at once", [PYTHON, "work.py", method]),
			);
		}
		await check("os.fork, sys.exit", "the child exits, the instance stays", () =>
			expectOutput("exit code 0 agents 0", [PYTHON, "fork.py"]),
		);
	},
};
