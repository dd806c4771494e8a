"""Gives work to agents once they are available. Its arguments are their ids, 100 at most."""
import http.client, json, os, sys, time
from urllib.request import Request, urlopen

ids, cursor = sys.argv[1:], ""


def ask(path, **headers):
    return urlopen(Request(os.environ["RESORT_URL"] + path, headers=headers), timeout=60)


def assign(free):
    for told in json.load(ask("/api/agents/status?ids=" + ",".join(free)))["statuses"]:
        if told["status"] == "available":
            print("assign", told["agent"]["id"], flush=True)


while True:
    try:
        headers, frame = {"Accept": "text/event-stream", "Last-Event-ID": cursor}, {}
        for line in ask(f"/api/events?types=agent.available&ids={','.join(ids)}", **headers):
            field, _, frame[field] = line.decode().rstrip("\n").partition(": ")
            if line == b"\n":
                if not cursor or frame.get("event") == "reset":
                    assign(ids)
                elif "data" in frame:
                    assign([json.loads(frame["data"])["agent"]["id"]])
                cursor, frame = frame.get("id", cursor), {}
    except (OSError, http.client.HTTPException) as error:
        print(error, file=sys.stderr)
    time.sleep(2)
