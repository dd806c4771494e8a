-- POST /api/activities/{id}/do of random guests; a line of the file holds an id and its key.
local keys = {}

function init(args)
	math.randomseed(42)
	for line in io.lines(args[1]) do
		keys[#keys + 1] = line:match("%S+%s+(%S+)")
	end
end

function request()
	local headers = { ["Authorization"] = "Bearer " .. keys[math.random(#keys)] }
	return wrk.format("POST", "/api/activities/tidepool-float/do", headers)
end
