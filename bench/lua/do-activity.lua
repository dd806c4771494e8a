-- POST /api/activities/{id}/do of random guests; a line of the file holds an id and its key. Requests are
-- written once.
local requests = {}

function init(args)
	math.randomseed(os.time())
	for line in io.lines(args[1]) do
		local headers = { ["Authorization"] = "Bearer " .. line:match("%S+%s+(%S+)") }
		requests[#requests + 1] = wrk.format("POST", "/api/activities/tidepool-float/do", headers)
	end
end

function request()
	return requests[math.random(#requests)]
end
