-- Sends the requests of a file, one a line: method, path, headers and body, separated by tabs. Each header is a name, a
-- colon and a value; several are separated by a vertical bar.
-- Usage: requests.lua FILE random|turns
-- With `turns`, a run continues after the last request of the previous run, whose number is kept in FILE.sent.
local requests = {}
local threads = {}
local file, inTurns
sent = 0

function setup(thread)
	threads[#threads + 1] = thread
end

function init(args)
	math.randomseed(os.time())
	file, inTurns = args[1], args[2] == "turns"
	for line in io.lines(file) do
		local method, path, fields, body = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
		local headers = {}
		for name, value in fields:gmatch("([^:|]+):([^|]+)") do
			headers[name] = value
		end
		if body == "" then body = nil end
		requests[#requests + 1] = wrk.format(method, path, headers, body)
	end
	local before = io.open(file .. ".sent")
	if before then
		sent = tonumber(before:read("*a"))
		before:close()
	end
	sentFile = file .. ".sent"
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
