import assert from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { chromium } from "playwright-core";

const PAGE = "<!doctype html><link rel=icon href=data:,><title>chat</title>";

/** The server under test: a page, and a WebSocket that echoes short messages (RFC 6455). */
function chat() {
  const server = http.createServer((_, answer) => answer.setHeader("content-type", "text/html").end(PAGE));
  server.on("upgrade", (request, socket) => {
    const key = request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    const accept = createHash("sha1").update(key).digest("base64");
    const head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    socket.write(`${head}Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
    socket.on("error", () => {});
    socket.on("data", (frame) => {
      const length = frame[1] & 0x7f;
      if ((frame[0] & 0xf) !== 1) return socket.end();
      const text = frame.subarray(6, 6 + length).map((byte, at) => byte ^ frame[2 + (at % 4)]);
      socket.write(Buffer.concat([Buffer.from([0x81, length]), text]));
    });
  });
  return server.listen(0, "127.0.0.1");
}

/** Starts a link in front of a port: the address that leads across it, orders, and its end. */
async function behind(port, ...options) {
  const name = `chat-${process.pid}`;
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

/** Sends a message from the page, and returns the milliseconds to its echo. */
const echo = (page) =>
  page.evaluate(async () => {
    window.chat ??= new WebSocket(`ws://${location.host}/`);
    if (chat.readyState === WebSocket.CONNECTING) await new Promise((resolve) => (chat.onopen = resolve));
    const began = performance.now();
    const answer = new Promise((resolve) => (chat.onmessage = resolve));
    chat.send("hello");
    if ((await answer).data !== "hello") throw new Error("another message came");
    return performance.now() - began;
  });

test("a chat in a browser behind a cell survives a second without signal", async () => {
  const server = chat();
  await once(server, "listening");
  const link = await behind(server.address().port, "--profile", "lte");
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  let browser;
  try {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--no-proxy-server"] });
    const page = await browser.newPage();
    await page.goto(`http://${link.address}/`);
    const usual = await echo(page);
    assert.ok(usual > 15, `an echo took ${usual} ms, less than the cell's round trip`);
    link.order("down", "1s");
    const late = await echo(page);
    assert.ok(late > 500, `an echo took ${late} ms without signal`);
  } finally {
    await browser?.close();
    await link.close();
    server.close();
    server.closeAllConnections();
  }
});
