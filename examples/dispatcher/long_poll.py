"""Gives work to agents once they are available. Its arguments are their ids, 100 at most."""
import http.client, json, os, sys, time, urllib.request

ids, cursor = sys.argv[1:], ""


def ask(path):
    with urllib.request.urlopen(os.environ["RESORT_URL"] + path, timeout=75) as answer:
        return json.load(answer)


def assign(free):
    for told in ask("/api/agents/status?ids=" + ",".join(free))["statuses"] if free else []:
        if told["status"] == "available":
            print("assign", told["agent"]["id"], flush=True)


while True:
    try:
        wait = f"&since={cursor}&wait=60" if cursor else ""
        told = ask(f"/api/events?types=agent.available&ids={','.join(ids)}{wait}")
        assign([event["agent"]["id"] for event in told["events"]] if cursor and not told["reset"] else ids)
        cursor = told["cursor"]
    except (OSError, http.client.HTTPException) as error:
        print(error, file=sys.stderr)
        time.sleep(int((getattr(error, "headers", None) or {}).get("Retry-After", 2)))
