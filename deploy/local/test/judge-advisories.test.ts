import test from 'ava';
import { judgeAdvisories } from '../audit/judge-advisories.js';

const today = new Date('2026-11-23T12:00:00Z');
const url = (id: string) => `https://github.com/advisories/${id}`;
const advisory = (severity: string, id: string) => ({
  source: 1,
  name: 'koa',
  dependency: 'koa',
  title: 'Requests are smuggled',
  url: url(id),
  severity,
  cwe: [],
  range: '<3.0.1',
});
/** A report in which another package depends on the vulnerable one. */
const reportOf = (...advisories: object[]) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: {
      koa: { name: 'koa', severity: 'high', via: advisories, effects: ['router'] },
      router: { name: 'router', severity: 'high', via: ['koa', ...advisories], effects: [] },
    },
    metadata: {},
  });
const exception = (advisoryId: string, until: string) => ({
  advisory: advisoryId,
  reason: 'Only its static files are affected, which are not used.',
  until,
});

test('passes without advisories', (t) => {
  const { lines, failed } = judgeAdvisories(reportOf(), [], today);
  t.false(failed);
  t.deepEqual(lines, ['audit: 0 advisories, 0 of them failing']);
});

for (const severity of ['high', 'critical'])
  test(`fails for an advisory of severity ${severity}, and names it once`, (t) => {
    const { lines, failed } = judgeAdvisories(reportOf(advisory(severity, 'GHSA-1')), [], today);
    t.true(failed);
    t.deepEqual(lines, [
      `${severity}: koa <3.0.1: Requests are smuggled (${url('GHSA-1')})`,
      'audit: 1 advisories, 1 of them failing',
    ]);
  });

test('prints an advisory of lower severity, and passes', (t) => {
  const { lines, failed } = judgeAdvisories(reportOf(advisory('moderate', 'GHSA-1')), [], today);
  t.false(failed);
  t.regex(lines[0]!, /^moderate: koa/);
});

test('an exception applies to its advisory until its date, with its reason', (t) => {
  const report = reportOf(advisory('high', 'GHSA-1'), advisory('high', 'GHSA-2'));
  const judged = (until: string) =>
    judgeAdvisories(report, [exception('GHSA-1', until), exception('GHSA-2', '2027-01-01')], today);
  const before = judged('2026-11-24');
  t.false(before.failed);
  t.regex(before.lines[0]!, /Excepted until 2026-11-24: Only its static files/);
  const after = judged('2026-11-23');
  t.true(after.failed);
  t.regex(after.lines[0]!, /exception ended on 2026-11-23/);
});

test('an exception without an advisory is named', (t) => {
  const { lines, failed } = judgeAdvisories(reportOf(), [exception('GHSA-1', '2027-01-01')], today);
  t.false(failed);
  t.is(lines[0], 'audit: the exception for GHSA-1 is no longer needed');
});

const absent = {
  'has no audit':
    '{"message":"405 Method Not Allowed - POST https://registry/-/npm","statusCode":405}',
  'cannot be reached':
    '{"message":"request to https://registry/-/npm failed, reason: getaddrinfo ENOTFOUND registry","error":{"code":"ENOTFOUND","summary":""}}',
  'answers no JSON': '<html>Bad gateway</html>\n',
  'does not answer': 'Error: Command failed: npm audit\n',
};
for (const [what, printed] of Object.entries(absent))
  test(`passes with one line if the registry ${what}`, (t) => {
    const { lines, failed } = judgeAdvisories(printed, [], today);
    t.false(failed);
    t.is(lines.length, 1);
    t.regex(lines[0]!, /^audit: not done, the registry did not answer: ./);
  });

test('fails if there is no lock file to audit', (t) => {
  const printed = '{"error":{"code":"ENOLOCK","summary":"This command requires a lock file."}}';
  t.deepEqual(judgeAdvisories(printed, [], today), {
    lines: ['audit: This command requires a lock file.'],
    failed: true,
  });
});
