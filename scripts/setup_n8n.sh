#!/usr/bin/env bash
# The real n8n in a folder of its own, 2.4 GB and some twenty minutes. Used by one interop test alone; its licence
# (Sustainable Use) makes it a tool of the tests, never a part of the agent. Needs Node 20.19 to 24.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p .n8n
# xlsx is published outside of the registry; the registry's own copy does
echo '{"private": true, "dependencies": {"n8n": "2.8.4"}, "overrides": {"xlsx": "0.18.5"}}' > .n8n/package.json
npm install --prefix .n8n --omit=dev --no-audit --no-fund --loglevel=error
