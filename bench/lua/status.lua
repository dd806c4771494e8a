-- GET /api/agents/{id}/status of random agents. The file holds an id a line, 37 bytes each, and is kept as
-- one string, so that a million of them cost no time before the run and a pick costs one cut.
local ids, count, head, tail

function init(args)
	math.randomseed(os.time())
	local file = assert(io.open(args[1], "rb"))
	ids = file:read("*a")
	file:close()
	count = #ids / 37
	head = "GET /api/agents/"
	tail = "/status HTTP/1.1\r\nHost: " .. wrk.headers["Host"] .. "\r\n\r\n"
end

function request()
	local at = (math.random(count) - 1) * 37
	return head .. ids:sub(at + 1, at + 36) .. tail
end
