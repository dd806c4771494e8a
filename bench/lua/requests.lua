-- Sends the requests of a file, one a line: method, path, headers and body, separated by tabs. Each header is a name, a
-- colon and a value; several are separated by a vertical bar.
-- Usage: requests.lua FILE random|turns
local requests = {}
local next = 0
local inTurns

function init(args)
	math.randomseed(os.time())
	inTurns = args[2] == "turns"
	for line in io.lines(args[1]) do
		local method, path, fields, body = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
		local headers = {}
		for name, value in fields:gmatch("([^:|]+):([^|]+)") do
			headers[name] = value
		end
		if body == "" then body = nil end
		requests[#requests + 1] = wrk.format(method, path, headers, body)
	end
end

function request()
	if not inTurns then return requests[math.random(#requests)] end
	next = next % #requests + 1
	return requests[next]
end
