/**
 * `node -` with this file as its input, in a container of Roster: ends its first process at once, without a chance to finish
 * anything. The kernel lets nobody inside kill that one; but SIGUSR1 opens its inspector, and that can have it abort.
 */
import { setTimeout as delay } from 'node:timers/promises';

process.kill(1, 'SIGUSR1');
const socket = new WebSocket(await inspectorUrl());
const abort = { id: 1, method: 'Runtime.evaluate', params: { expression: 'process.abort()' } };
socket.addEventListener('open', () => socket.send(JSON.stringify(abort)));

async function inspectorUrl(): Promise<string> {
  try {
    const response = await fetch('http://127.0.0.1:9229/json/list');
    const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[];
    return target!.webSocketDebuggerUrl;
  } catch {
    await delay(50);
    return inspectorUrl();
  }
}
