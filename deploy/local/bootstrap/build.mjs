import { environmentFor, pinnedNode, root } from './places.mjs';
import { runQuietly } from './run-quietly.mjs';

const tasks = { roster: 'build', tests: 'build:tests' };

/** Compiles changed files. If nothing changed, turbo restores the output from its cache in a fraction of a second. */
export async function build(needs) {
  await runQuietly(
    'Building',
    pinnedNode,
    [`${root}/node_modules/turbo/bin/turbo`, 'run', tasks[needs], '--output-logs=errors-only'],
    {
      cwd: root,
      env: {
        ...environmentFor(pinnedNode),
        TURBO_TELEMETRY_DISABLED: '1',
        TURBO_NO_UPDATE_NOTIFIER: '1',
        DO_NOT_TRACK: '1',
      },
    },
  );
}
