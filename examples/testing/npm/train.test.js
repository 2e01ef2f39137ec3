import assert from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { createInterface } from "node:readline";
import { test } from "node:test";

/** Starts a link in front of a port: the address that leads across it, orders, and its end. */
async function behind(port, ...options) {
  const name = `node-${process.pid}`;
  const link = spawn("windward", ["link", "--publish", `0:${port}`, "--name", name, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: link.stdout })[Symbol.asyncIterator]();
  const address = (await lines.next()).value.split(" ")[0];
  await lines.next();
  return {
    address,
    order: (...words) => execFileSync("windward", ["link", "ctl", name, ...words]),
    close: async () => {
      link.kill("SIGINT");
      await once(link, "exit");
    },
  };
}

test("a page behind a train", async () => {
  const server = http.createServer((_, answer) => answer.end("page")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const link = await behind(server.address().port, "--profile", "train");
  try {
    link.order("down", "1s");
    const began = performance.now();
    const answer = await fetch(`http://${link.address}`, { headers: { connection: "close" } });
    assert.equal(await answer.text(), "page");
    assert.ok(performance.now() - began > 50, "faster than the train's round trip");
  } finally {
    await link.close();
    server.close();
    server.closeAllConnections();
  }
});
