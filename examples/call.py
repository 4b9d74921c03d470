"""Creates and updates a product by REST, repeating a write that may have failed: its Idempotency-Key takes effect once.

Run it with BASE, TOKEN and STORE in the environment: python3 examples/call.py
"""
import json
import os
import time
import urllib.error
import urllib.request
import uuid


def call(method, path, body):
    headers = {
        "Authorization": "Bearer " + os.environ["TOKEN"],
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    }
    url = os.environ.get("BASE", "http://127.0.0.1:4000") + path
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method=method)
    for _ in range(5):
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            if error.code not in (429, 502, 503):
                raise RuntimeError(json.load(error)["data"]["error_info"]) from error
            time.sleep(float(error.headers.get("Retry-After", 1)))
    raise RuntimeError("the service is not available")


products = "/v1/products?store_uuid=" + os.environ["STORE"]
call("POST", products, [{"product_code": "2001", "Color": "Red"}])
print(call("PUT", products, [{"product_code": "2001", "status": "active"}])["updated_skus"])
