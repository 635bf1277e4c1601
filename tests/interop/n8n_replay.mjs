// Walks a workflow of interfaces/n8n as n8n would: expressions, HTTP calls, conditions. One argument: JSON with
// {workflow, start, body, url, tokens: {credential name: token}, decision}. Prints what each node returned, as JSON.
import { readFileSync } from "node:fs";

const given = JSON.parse(readFileSync(0, "utf8"));
const nodes = Object.fromEntries(given.workflow.nodes.map((node) => [node.name, node]));
const outputs = {};
const PAUSE_MS = 200;

function evaluated(value, json) {
  if (typeof value !== "string" || !value.startsWith("=")) return value;
  const text = value.slice(1);
  const lookup = (name) => ({ first: () => ({ json: outputs[name] }) });
  const run = (code) => new Function("$json", "$", "$execution", `return (${code});`)(json, lookup, { resumeUrl: "RESUME" });
  const whole = text.match(/^\{\{([\s\S]*)\}\}$/);
  if (whole && !whole[1].includes("}}")) return run(whole[1]);
  return text.replace(/\{\{([\s\S]*?)\}\}/g, (_, code) => String(run(code)));
}

async function http(node, json) {
  const parameters = node.parameters;
  const name = node.credentials.httpHeaderAuth.name;
  const url = evaluated(parameters.url, json).replace("http://127.0.0.1:2024", given.url);
  const answer = await fetch(url, {
    method: parameters.method,
    headers: { "content-type": "application/json", authorization: `Bearer ${given.tokens[name]}` },
    body: parameters.sendBody ? evaluated(parameters.jsonBody, json) : undefined,
  });
  return answer.json();
}

async function run(node, json) {
  const kind = node.type.split(".").pop();
  if (kind === "webhook" || kind === "manualTrigger") return { body: given.body };
  if (kind === "set" && node.parameters.mode === "raw") return JSON.parse(evaluated(node.parameters.jsonOutput, json));
  if (kind === "set") {
    const made = node.parameters.includeOtherFields ? { ...json } : {};
    for (const each of node.parameters.assignments.assignments) made[each.name] = evaluated(each.value, json);
    return made;
  }
  if (kind === "httpRequest") return http(node, json);
  if (kind === "respondToWebhook") return (outputs["(answer)"] = JSON.parse(evaluated(node.parameters.responseBody, json))), json;
  if (kind === "wait" && node.parameters.resume === "webhook") return { body: given.decision };
  if (kind === "wait") return new Promise((done) => setTimeout(() => done(json), PAUSE_MS));
  if (kind === "if") return json;
  throw new Error(`no way to replay ${node.type}`);
}

function branch(node, json) {
  if (!node.type.endsWith(".if")) return 0;
  const [condition] = node.parameters.conditions.conditions;
  return evaluated(condition.leftValue, json) === evaluated(condition.rightValue, json) ? 0 : 1;
}

let [name, json] = [given.start, {}];
for (let steps = 0; name && steps < 400; steps += 1) {
  json = await run(nodes[name], json);
  outputs[name] = json;
  const next = given.workflow.connections[name]?.main?.[branch(nodes[name], json)];
  name = next?.[0]?.node;
}
outputs["(last)"] = json;
console.log(JSON.stringify(outputs));
