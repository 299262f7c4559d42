/** `deploy/sizing.md`, made from the stored results of the benchmark. */

/** What the page reads of `results.json`. */
export interface StoredResults {
  [job: string]: {
    settings: Settings;
    contenders?: Record<string, Contender>;
    throughput?: Record<string, number>[];
  };
}

interface Settings {
  processor: string;
  cores: number;
  commit: string;
  date: string;
}

interface Contender {
  /** CPU time of a request, by component. */
  cpuMicros: Record<string, number>;
  /** Greatest resident memory, by component. */
  rssMib: Record<string, number>;
}

const jobs = { get: 'get', list: 'list of 50', create: 'create', update: 'update' };
const components = ['gateway', 'contacts', 'users', 'webhooks', 'dispatcher', 'nats', 'postgres'];
const named: Record<string, string> = { nats: 'NATS', postgres: 'PostgreSQL' };
/** A component that a request does not need uses a few microseconds for something else. */
const usedMicrosMin = 5;

export function sizingPage(results: StoredResults): string {
  const rows = components.map((component) => [
    named[component] ?? component,
    ...Object.keys(jobs).map((job) => perSecond(rosterIn(results, job).cpuMicros[component]!)),
    component === 'dispatcher' ? `${deliveriesIn(results)} deliveries/s` : '',
    component === 'postgres' ? '' : `${memoryOf(results, component)} MiB`,
  ]);
  const heads = ['', ...Object.values(jobs), 'deliveries', 'memory'];
  return [
    '# Throughput of one core',
    '',
    'What one core of each process does in a second, computed from the processor time of a request with 64 clients, and the greatest resident memory of the process in these jobs. An empty cell: the request does not need the process. The page is made from [the stored results of the benchmark](../test/bench/results.json) by `npm run record`; a test compares the two.',
    '',
    row(heads),
    row(heads.map(() => '---')),
    ...rows.map(row),
    '',
    ...[...Object.keys(jobs), 'deliveries'].map((job) => machineOf(job, results[job]!.settings)),
    '',
    'In the benchmark, NATS is a single server, whose stream has one replica.',
    '',
  ].join('\n');
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const rosterIn = (results: StoredResults, job: string): Contender =>
  results[job]!.contenders!['roster']!;

/** With three significant digits: two runs differ by more. */
const rounded = (figure: number): string =>
  Number(figure.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 0 });

const perSecond = (micros: number): string =>
  micros < usedMicrosMin ? '' : `${rounded(1e6 / micros)}/s`;

const memoryOf = (results: StoredResults, component: string): string =>
  rounded(Math.max(...Object.keys(jobs).map((job) => rosterIn(results, job).rssMib[component]!)));

/** Of one webhook for each event. */
const deliveriesIn = ({ deliveries }: StoredResults): string =>
  rounded(deliveries!.throughput!.find((one) => one['fan-out'] === 1)!['per s of dispatcher CPU']!);

const machineOf = (job: string, { processor, cores, commit, date }: Settings): string =>
  `- \`${job}\`: ${processor}, ${cores} cores, ${date}, commit ${commit}`;
