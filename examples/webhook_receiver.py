"""Receives a webhook of the gateway: verifies each delivery, takes it once, and prints the codes of its changes.

WEBHOOK_SECRET=whsec_… PORT=8080 python3 examples/webhook_receiver.py
"""
import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
if not SECRET.startswith("whsec_"):
    sys.exit("set WEBHOOK_SECRET to the secret that the creation of the webhook printed: whsec_…")
KEY = base64.b64decode(SECRET.removeprefix("whsec_"))
MAX_AGE_SECONDS = 300
# A service keeps them in its database, in the transaction that handles the delivery.
handled = set()


def is_genuine(headers, body):
    message, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "0")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > MAX_AGE_SECONDS:
        return False
    signed = f"{message}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one, expected) for one in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        genuine = is_genuine(self.headers, body)
        if genuine and self.headers["webhook-id"] not in handled:
            event = json.loads(body)
            for change in event["data"].get("changes", [event["data"]]):
                print(event["type"], *change.get("codes", []), flush=True)
                if change.get("more"):
                    print(f"more: GET /v1/requests/{change['request_id']}?store_uuid={change['store_uuid']}", flush=True)
            handled.add(self.headers["webhook-id"])
        if not genuine:
            print("refused: bad signature or time", flush=True)
        self.send_response(204 if genuine else 401)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


PORT = int(os.environ.get("PORT", "8080"))
try:
    server = HTTPServer(("127.0.0.1", PORT), Receiver)
except OSError as error:
    sys.exit(f"cannot listen on port {PORT}: {error.strerror}; set PORT to another one")
print(f"waiting for deliveries at http://127.0.0.1:{PORT}", file=sys.stderr)
server.serve_forever()
