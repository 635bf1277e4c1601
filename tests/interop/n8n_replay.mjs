// Walks a workflow of interfaces/n8n as n8n would: expressions, HTTP calls, conditions. One argument: JSON with
// {workflow, start, body, tokens: {credential name: token}, until}. Stops after the node `until`, where that is named.
// Prints what each node returned, as JSON.
import { readFileSync } from "node:fs";

const given = JSON.parse(readFileSync(0, "utf8"));
const nodes = Object.fromEntries(given.workflow.nodes.map((node) => [node.name, node]));
const outputs = {};
const PAUSE_MS = 200;

function evaluated(value, json) {
  if (typeof value !== "string" || !value.startsWith("=")) return value;
  const text = value.slice(1);
  const lookup = (name) => ({ first: () => ({ json: outputs[name] }) });
  const run = (code) => new Function("$json", "$", `return (${code});`)(json, lookup);
  const whole = text.match(/^\{\{([\s\S]*)\}\}$/);
  if (whole && !whole[1].includes("}}")) return run(whole[1]);
  return text.replace(/\{\{([\s\S]*?)\}\}/g, (_, code) => String(run(code)));
}

async function http(node, json) {
  const parameters = node.parameters;
  const name = node.credentials.httpHeaderAuth.name;
  const answer = await fetch(evaluated(parameters.url, json), {
    method: parameters.method,
    headers: { "content-type": "application/json", authorization: `Bearer ${given.tokens[name]}` },
    body: parameters.sendBody ? evaluated(parameters.jsonBody, json) : undefined,
  });
  return answer.json();
}

async function tried(node, json) {
  for (let left = node.retryOnFail ? node.maxTries : 1; ; left -= 1) {
    try {
      return await http(node, json);
    } catch (error) {
      if (left > 1) await pause();
      else if (node.onError === "continueRegularOutput") return { error: String(error) };
      else throw error;
    }
  }
}

const pause = () => new Promise((done) => setTimeout(done, PAUSE_MS));

async function run(node, json) {
  const kind = node.type.split(".").pop();
  if (kind === "webhook" || kind === "manualTrigger") return { body: given.body };
  if (kind === "set" && node.parameters.mode === "raw") return JSON.parse(evaluated(node.parameters.jsonOutput, json));
  if (kind === "set") {
    const made = node.parameters.includeOtherFields ? { ...json } : {};
    for (const each of node.parameters.assignments.assignments) made[each.name] = evaluated(each.value, json);
    return made;
  }
  if (kind === "httpRequest") return tried(node, json);
  if (kind === "respondToWebhook") return (outputs["(answer)"] = JSON.parse(evaluated(node.parameters.responseBody, json))), json;
  if (kind === "wait") return pause().then(() => json);
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
  if (name === given.until) break;
  const next = given.workflow.connections[name]?.main?.[branch(nodes[name], json)];
  name = next?.[0]?.node;
}
outputs["(last)"] = json;
console.log(JSON.stringify(outputs));
