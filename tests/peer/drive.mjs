// Drives a memory provider with the peer of json-rpc-2.0 and judges every answer with ajv.
// node drive.mjs SCHEMAS_FOLDER PROGRAM ARGS… ; prints one JSON object, exits 1 on a fault.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { JSONRPCClient, JSONRPCServer, JSONRPCServerAndClient } from "json-rpc-2.0";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const [schemas, program, ...args] = process.argv.slice(2);
const read = (name) => JSON.parse(readFileSync(`${schemas}/${name}`, "utf8"));
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(read("types.json"));

const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
const peer = new JSONRPCServerAndClient(
  new JSONRPCServer(),
  new JSONRPCClient((message) => child.stdin.write(JSON.stringify(message) + "\n")),
);
createInterface({ input: child.stdout }).on("line", (line) => peer.receiveAndSend(JSON.parse(line)));

const faults = [];
const checked = (method, side, value) => {
  const file = read(`${method.replace(".", "/")}.json`);
  if (!ajv.getSchema(file.$id)) ajv.addSchema(file);
  const validate = ajv.compile({ $ref: `${file.$id}#/$defs/${side}` });
  if (!validate(value)) faults.push({ method, side, errors: validate.errors });
  return value;
};
let counted = 0;
peer.addMethod("kernel.count_tokens", (params) => {
  checked("kernel.count_tokens", "params", params);
  counted += 1;
  return { count: params.content.map((b) => b.text.text).join(" ").split(/\s+/).length, exact: true };
});
peer.addMethod("kernel.log", (params) => (checked("kernel.log", "params", params), {}));
let events = 0;
peer.addMethod("kernel.emit", (params) => {
  checked("kernel.emit", "params", params);
  events += 1;
  return { id: `e${events}`, sequence: events };
});
const call = async (method, params) =>
  checked(method, "result", await peer.request(method, checked(method, "params", params)));

const text = (words) => [{ text: { text: words } }];
const call_context = { session_id: "s1", turn_id: "t1", working_directory: process.cwd() };
const target = { model_target: { id: "example" }, token_budget: 100 };
await call("memory.describe", {});
await call("memory.get_capabilities", {});
await call("memory.configure", { config: { token_budget: 500 } });
const writes = [...Array(10).keys()].map((n) =>
  call("memory.record", {
    type: "reference", scope: "project", title: "Port", content: text(`Service ${n} on [[port-${n}]]`),
    call_context,
  }));
const ids = (await Promise.all(writes)).map((answer) => answer.result.id);
await call("memory.update_record", { id: ids[0], content: text("The relay listens on 2525"), call_context });
const recalled = await call("memory.recall", { ...call_context, ...target, query: "relay 2525" });
const page = await call("memory.list_records", { page_size: 3, call_context });
await call("memory.list_records", { page_size: 3, page_token: page.next_page_token, call_context });
await call("memory.list_links", { dangling_only: true, call_context });
await call("memory.get_record", { id: ids[1], call_context });
await call("memory.delete_record", { id: ids[1], call_context });
await call("memory.dispatch_hook", { payload: { session_end: { session_id: "s1" } }, mode: "observe" });
let refused;
try {
  await peer.request("memory.get_record", { id: ids[1], call_context });
} catch (error) {
  refused = error.code;
}
child.stdin.end();
const code = await new Promise((resolve) => child.on("close", resolve));
const first = recalled.records[0]?.id;
console.log(JSON.stringify({ ids, first, refused, counted, events, code, faults }));
process.exit(faults.length ? 1 : 0);
