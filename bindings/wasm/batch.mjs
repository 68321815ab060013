// node batch.mjs kport.wasm worker.js: answers requests in JSON, a line each, as the page does.
import {readFileSync} from "node:fs";
import {webcrypto} from "node:crypto";
import {createInterface} from "node:readline";

globalThis.crypto ??= webcrypto;
const [module, worker] = process.argv.slice(2);
const opened = new Function(readFileSync(worker, "utf8") + "\nreturn opened;")();
const compiled = await WebAssembly.compile(readFileSync(module));
let answer = await opened(compiled);
for await (const line of createInterface({input: process.stdin})) {
  try {
    console.log(JSON.stringify(answer(JSON.parse(line))));
  } catch (error) {
    console.log(JSON.stringify({died: String(error.message)}));
    answer = await opened(compiled);
  }
}
