"""The MCP door: the same operations as tools for another agent, over stdio and streamable HTTP.

No tool approves. Results are text, domain failures are results (`{"ok": false, ...}`),
because some clients take three errors in a row for a broken server.
"""
