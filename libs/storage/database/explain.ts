import { NotYet } from '@roster/process';
import { ReadOnlyServer, type ServerFailure } from './servers.js';

interface DriverError {
  code?: string;
  message: string;
}

interface Explanation {
  what: string;
  remedy: string;
  /** It may resolve without intervention. */
  passing?: true;
}

const unreachable = (what: string): Explanation => ({
  what,
  remedy: 'start it, or correct host and port',
  passing: true,
});
const refused: Explanation = {
  what: 'rejects the user name or password',
  remedy: 'correct them',
};
const untrusted: Explanation = {
  what: 'has an untrusted certificate',
  remedy: 'set sslrootcert to its certificate authority, or correct the host',
};

/** Error codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html) and of Node. */
const explanations: Record<string, Explanation> = {
  ECONNREFUSED: unreachable('refuses the connection'),
  ECONNRESET: unreachable('closed the connection'),
  EPIPE: unreachable('closed the connection'),
  ENOTFOUND: unreachable('has no address'),
  EAI_AGAIN: unreachable('cannot be resolved: DNS does not answer'),
  ETIMEDOUT: unreachable('does not answer'),
  EHOSTUNREACH: unreachable('cannot be reached'),
  ENETUNREACH: unreachable('cannot be reached'),
  '57P01': unreachable('is shutting down'),
  '57P02': unreachable('has crashed'),
  '57P03': { what: 'is starting or stopping', remedy: 'wait for it', passing: true },
  '53300': {
    what: 'has no free connection slots',
    remedy: 'lower DATABASE_POOL_MAX, or raise max_connections on the server',
    passing: true,
  },
  '28P01': refused,
  '28000': { ...refused, what: 'rejects the user or this host (pg_hba.conf)' },
  '3D000': { what: 'has no such database', remedy: 'create it, or correct its name' },
  '42501': {
    what: 'denies the role a required privilege',
    remedy:
      'set the URL of the role of this service, grant the privilege, or run roster migrate as a role that can create schemas',
  },
  '25006': {
    what: 'is read-only',
    remedy: 'use the address of the primary, or list every server of the cluster',
    passing: true,
  },
  // Not retried silently: every attempt would hold its locks again for as long.
  '57014': {
    what: 'canceled a statement because of statement_timeout',
    remedy: 'raise it for the role that migrates',
  },
  '55P03': {
    what: 'did not grant a lock within lock_timeout',
    remedy: 'wait until the lock is released, or raise lock_timeout for the role that migrates',
    passing: true,
  },
  '53100': { what: 'has no disk space left', remedy: 'add disk space' },
  '53200': { what: 'is out of memory', remedy: 'add memory', passing: true },
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: untrusted,
  CERT_HAS_EXPIRED: untrusted,
};

/** Errors without a code. */
const messages: [RegExp, Explanation][] = [
  [/timeout|timed out/i, unreachable('does not answer')],
  [/Connection terminated/, unreachable('closed the connection')],
  [
    /does not support SSL/,
    { what: 'does not support TLS', remedy: 'enable TLS on the server, or set sslmode=disable' },
  ],
  [/password must be a string|no password/i, { ...refused, what: 'requires a password' }],
];

/** Describes failed connection attempts. The process waits, whatever the reason. */
export function explainFailures(failures: readonly ServerFailure[], cause: unknown): NotYet {
  const explained = failures.map(({ server, error }) => {
    const { what, remedy, passing } = explanationOf(error) ?? {
      what: `cannot be used: ${error.message}`,
      remedy: 'correct the URL, or the server',
    };
    return { text: `${server} ${what}${codeOf(error)}`, remedy, passing };
  });
  const remedies = [...new Set(explained.map(({ remedy }) => remedy))];
  return new NotYet(
    `DATABASE_URL: PostgreSQL at ${explained.map(({ text }) => text).join(', at ')}: ${remedies.join('; ')}.`,
    { passing: explained.some(({ passing }) => passing === true), cause },
  );
}

/** Describes a failed statement, if the error concerns the server or the role rather than the statement. */
export function explainRefusal(error: DriverError): NotYet | undefined {
  const explanation = explanationOf(error);
  if (!explanation) return undefined;
  const { what, remedy, passing = false } = explanation;
  const detail = error.code === '42501' ? `: ${error.message}` : '';
  return new NotYet(`DATABASE_URL: PostgreSQL ${what}${codeOf(error)}${detail}: ${remedy}.`, {
    passing,
    cause: error,
  });
}

function explanationOf(error: DriverError): Explanation | undefined {
  if (error instanceof ReadOnlyServer) return explanations[readOnly];
  return (
    explanations[error.code ?? ''] ?? messages.find(([shape]) => shape.test(error.message))?.[1]
  );
}

const readOnly = '25006';
const codeOf = ({ code }: DriverError): string => (code === undefined ? '' : ` (${code})`);
