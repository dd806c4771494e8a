-- Sends the requests in a file, in which they are separated by NUL.
-- Usage: requests.lua FILE random|turns
-- With `turns`, a run continues after the last request of the previous run on the same server. FILE.PORT contains the
-- number of requests that were sent so far.
local requests = {}
local threads = {}
local inTurns
sent = 0

function setup(thread)
	threads[#threads + 1] = thread
end

function init(args)
	math.randomseed(os.time())
	for text in assert(io.open(args[1], "rb")):read("*a"):gmatch("%Z+") do
		requests[#requests + 1] = text
	end
	inTurns = args[2] == "turns"
	sentFile = args[1] .. "." .. wrk.port
	local before = io.open(sentFile)
	if before then
		sent = tonumber(before:read("*a"))
		before:close()
	end
end

function request()
	if not inTurns then return requests[math.random(#requests)] end
	sent = sent + 1
	return requests[(sent - 1) % #requests + 1]
end

function done()
	local after = assert(io.open(threads[1]:get("sentFile"), "w"))
	after:write(threads[1]:get("sent"))
	after:close()
end
