-- GET /api/agents/{id}/status of random agents; the ids come from a file, one a line.
local ids = {}

function init(args)
	math.randomseed(42)
	for line in io.lines(args[1]) do
		ids[#ids + 1] = line:match("^(%S+)")
	end
end

function request()
	return wrk.format("GET", "/api/agents/" .. ids[math.random(#ids)] .. "/status")
end
