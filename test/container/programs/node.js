// What Node programs really do: threads, a server and a client of their own, children, watchers, WebAssembly.
const os = require('os');
const fs = require('fs');
const http = require('http');
const { once } = require('events');
const { execSync } = require('child_process');
const { Worker } = require('worker_threads');

const worker = new Worker('require("worker_threads").parentPort.postMessage("thread")', { eval: true });
const [fromThread] = await once(worker, 'message');
const server = http.createServer((_, response) => response.end('served')).listen(0, '127.0.0.1');
await once(server, 'listening');
const fromServer = await (await fetch(`http://127.0.0.1:${server.address().port}`)).text();
server.close();
server.closeAllConnections();
fs.watch('/sandbox').close();
fs.copyFileSync('/etc/passwd', 'copy');
new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
const result = [fromThread, fromServer, execSync('echo child').toString().trim(), Object.keys(os.networkInterfaces())];
