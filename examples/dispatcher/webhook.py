"""Gives work to agents once they are available. Its arguments are their ids, as in the webhook's agentIds."""
import base64, hmac, http.server, json, os, sys, time, urllib.request


def assign(free):
    with urllib.request.urlopen(os.environ["RESORT_URL"] + "/api/agents/status?ids=" + ",".join(free)) as answer:
        for told in json.load(answer)["statuses"]:
            if told["status"] == "available":
                print("assign", told["agent"]["id"], flush=True)


def is_signed(headers, body):
    with open("webhook-secret") as file:
        key = base64.b64decode(file.read().strip().replace("whsec_", ""))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    mac = "v1," + base64.b64encode(hmac.digest(key, content, "sha256")).decode()
    is_recent = abs(time.time() - int(headers["webhook-timestamp"])) < 300
    return is_recent and any(hmac.compare_digest(one, mac) for one in headers["webhook-signature"].split(" "))


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        event = json.loads(body)
        # A ping is sent before the receiver knows the secret, and requires no work.
        is_ours = event["type"] == "webhook.ping" or is_signed(self.headers, body)
        if is_ours and event["type"] == "agent.available":
            assign([event["agent"]["id"]])
        self.send_response(204 if is_ours else 401)
        self.end_headers()


server = http.server.ThreadingHTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver)
assign(sys.argv[1:])
server.serve_forever()
