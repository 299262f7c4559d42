import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';

const parentPollMs = 250;

/** Runs a command in the foreground and resolves with its exit code. The command is stopped when this process or npm exits. */
export async function runCommand(node, args) {
  const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event) watchParents(() => child.connected && child.disconnect());

  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * npm starts this process through a shell. Some shells replace themselves with it by exec, others stay between the two and
 * outlive npm. Parents of npm are ignored: npm may keep running after the terminal is closed.
 */
function watchParents(onVanished) {
  const shell = isNpm(process.ppid) ? undefined : process.ppid;
  const chain = () => `${process.ppid} ${shell && parentOf(shell)}`;
  const before = chain();
  const timer = setInterval(() => {
    if (chain() === before) return;
    clearInterval(timer);
    onVanished();
  }, parentPollMs);
  timer.unref();
}

function isNpm(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`) === realpathSync(process.env.npm_node_execpath);
  } catch {
    // No such directory on this system: its shells use exec.
    return true;
  }
}

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  } catch {
    return undefined;
  }
}
