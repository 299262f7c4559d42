import { Command } from '@commander-js/extra-typings';
import { RosterError } from '@roster/client';

import { clientOf, type Context, type Run } from '../context.js';
import { describeFailure } from '../describe-failure.js';
import { exitCodes, type ExitCode } from '../failure.js';
import { version } from '../version.js';
import { withExamples } from './examples.js';

interface Check {
  check: string;
  status: 'ok' | 'warning' | 'failed';
  detail: string;
  /** What to do. */
  remedy: string | null;
  exitCode?: ExitCode;
}

export const doctor = (run: Run) =>
  withExamples(
    new Command('doctor')
      .description('Check the link, the clock, the versions and the key, and suggest remedies.')
      .action(
        run(async (context) => {
          let exitCode: ExitCode = exitCodes.ok;
          async function* rows() {
            for await (const { exitCode: code, ...row } of checks(context)) {
              if (row.status === 'failed' && exitCode === exitCodes.ok)
                exitCode = code ?? exitCodes.fault;
              yield row;
            }
          }
          await context.output.list(rows(), [
            { name: 'check', of: ({ check }) => check, whole: true },
            { name: 'status', of: ({ status }) => status },
            { name: 'detail', of: ({ detail }) => detail },
            { name: 'what to do', of: ({ remedy }) => remedy },
          ]);
          return exitCode;
        }),
      ),
    'roster doctor',
  );

async function* checks({ profile, signal }: Context): AsyncIterable<Check> {
  const { url, name } = profile;
  yield {
    check: 'profile',
    status: 'ok',
    detail: name === undefined ? `${url}, key of the environment or an option` : `${name}: ${url}`,
    remedy: null,
  };
  const link = await request(url, signal);
  yield link.check;
  if (link.response) yield clock(link.response, link.sentAt);
  // Each is tried once: what is wrong now is shown.
  const roster = clientOf(profile, 0);
  if (!link.response) return;
  try {
    const { scopes, workspace, expiresAt } = await roster.key.get({ signal });
    const ends = expiresAt === null ? 'no expiry' : `valid until ${expiresAt}`;
    const isWhole = scopes.length === 2;
    yield {
      check: 'key',
      status: isWhole ? 'ok' : 'warning',
      detail: `${workspace.name}, scopes ${scopes.join(' and ')}, ${ends}`,
      remedy: isWhole
        ? null
        : 'Some commands need the other scope: `roster keys create` with a key that has it.',
    };
    const meta = await roster.meta.get({ signal });
    yield versions(meta.version);
  } catch (error) {
    if (!(error instanceof RosterError)) throw error;
    const { exitCode } = describeFailure(error);
    const remedy =
      exitCode === exitCodes.access
        ? 'Run `roster login` with a valid key, or correct ROSTER_API_KEY.'
        : 'Is this the address of Roster? Otherwise try again later.';
    yield {
      check: 'key',
      status: 'failed',
      detail: `${error.code}: ${error.detail}`,
      remedy,
      exitCode,
    };
  }
}

const timeoutMs = 10_000;

/** Any answer proves the link. */
async function request(url: string, signal: AbortSignal) {
  const sentAt = Date.now();
  try {
    const response = await fetch(`${url}/v1/meta`, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.arrayBuffer();
    const detail = `answered in ${Date.now() - sentAt} ms`;
    return {
      response,
      sentAt,
      check: { check: 'link', status: 'ok', detail, remedy: null } as Check,
    };
  } catch (error) {
    signal.throwIfAborted();
    const { cause, message } = error as Error;
    const { code = message } = (cause ?? {}) as { code?: string };
    const check: Check = {
      check: 'link',
      status: 'failed',
      detail: `${url} cannot be reached (${code})`,
      remedy: remedies[code] ?? 'Check the address, the network and proxies.',
      exitCode: exitCodes.unreachable,
    };
    return { check, sentAt };
  }
}

const remedies: Readonly<Record<string, string>> = {
  ENOTFOUND: 'No such host: correct the address, or the DNS.',
  EAI_AGAIN: 'The DNS does not answer: check the network.',
  ECONNREFUSED: 'Nothing listens there: start Roster, or correct the port.',
  CERT_HAS_EXPIRED: 'Renew the certificate of the server.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Set NODE_EXTRA_CA_CERTS to the certificate of your authority.',
};

/** Receivers of webhooks accept five minutes; tokens and replays are judged by time, too. */
const skewMaxSeconds = 30;

function clock(response: Response, sentAt: number): Check {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(date))
    return {
      check: 'clock',
      status: 'warning',
      detail: 'the answer has no date',
      remedy: 'Is this the address of Roster?',
    };
  // A date has whole seconds.
  const seconds = Math.round((date + 500 - (sentAt + Date.now()) / 2) / 1000);
  const isRight = Math.abs(seconds) <= skewMaxSeconds;
  return {
    check: 'clock',
    status: isRight ? 'ok' : 'warning',
    detail: isRight
      ? 'in step with the server'
      : `${Math.abs(seconds)} s ${seconds > 0 ? 'behind' : 'ahead of'} the server`,
    remedy: isRight
      ? null
      : 'Synchronise the clock: signatures and times such as `2h` depend on it.',
  };
}

function versions(server: string): Check {
  const isSame = minor(server) === minor(version);
  return {
    check: 'versions',
    status: isSame ? 'ok' : 'warning',
    detail: `roster ${version}, server ${server}`,
    remedy: isSame ? null : `Install the same release: npm install --global roster@${server}`,
  };
}

const minor = (text: string): string => text.split('.', 2).join('.');
