/**
 * Input of `node -` in a container of Roster: aborts the first process of the container immediately. The kernel does
 * not deliver SIGKILL from inside to that process. But SIGUSR1 opens its inspector, through which it can be aborted.
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
