#!/usr/bin/env bash
# Attacks a gateway with sqlmap (https://sqlmap.org), which must find no injectable parameter and provoke no 5xx. BASE is
# the gateway's URL, TOKEN a token with the scopes `read` and `write`, STORE the UUID of a store.
set -euo pipefail
attack() {
  sqlmap --batch --dbms=postgresql --level=2 --risk=2 \
    -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"
}
attack -u "$BASE/v1/assets?store_uuid=$STORE&channel=SMP&asset_format=image&offset=0&limit=50"
attack -u "$BASE/v1/products?store_uuid=$STORE" --method PUT --data '[{"product_code": "A*", "Color": "red*"}]'
attack -u "$BASE/graphql" --data '{"query":
  "query ($p: String, $c: String) { stores(filter: {search: $p, region: $c}) { totalCount } }",
  "variables": {"p": "A*", "c": "A*"}}'
