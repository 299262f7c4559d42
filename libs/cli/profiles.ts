import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import envPaths from 'env-paths';

import { UsageError } from './failure.js';

/** A URL with the key that belongs to it. A key is only ever sent to the URL of its profile. */
export interface StoredProfile {
  url: string;
  apiKey: string;
}

/** The content of a file of profiles. */
export interface Profiles {
  /** Name of the profile that is used by default. */
  current?: string;
  profiles: Record<string, StoredProfile>;
}

/** What a command is sent with. */
export interface Profile extends StoredProfile {
  /** Undefined if URL and key are those of options or of the environment. */
  name?: string;
}

export interface ProfileOptions {
  profile?: string | undefined;
  url?: string | undefined;
  apiKeyFile?: string | undefined;
}

/** The folder of configuration: `$XDG_CONFIG_HOME/roster`, otherwise that of the operating system. */
export function configFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CONFIG_HOME: given } = env;
  return given ? join(given, 'roster') : envPaths('roster', { suffix: '' }).config;
}

const userFile = (env: NodeJS.ProcessEnv) => join(configFolder(env), 'profiles.json');

/** The profile of a system on this machine, written by `npm start`. */
export const localName = 'local';
const localFile = (home: string) => join(home, 'profiles.json');

/** All profiles. The one of the home is the default, because commands with a home are about that system. */
export function readProfiles(home: string | undefined, env = process.env): Profiles {
  const own = readFile(userFile(env)) ?? { profiles: {} };
  const local = home === undefined ? undefined : readFile(localFile(home));
  return local ? { current: localName, profiles: { ...own.profiles, ...local.profiles } } : own;
}

/** Changes the profiles of the user, of whom alone the file can be read. */
export function changeProfiles(change: (profiles: Profiles) => Profiles, env = process.env): void {
  const file = userFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString('hex')}.new`;
  try {
    writeFileSync(
      temporary,
      `${JSON.stringify(change(readFile(file) ?? { profiles: {} }), null, 2)}\n`,
      {
        mode: 0o600,
        flush: true,
      },
    );
    // A umask could have removed permissions of the owner, but never adds any.
    chmodSync(temporary, 0o600);
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * The URL and the key of a command. Options win over the environment, and the environment over the default profile.
 *
 * @throws UsageError that says what is missing
 */
export function resolveProfile(
  options: ProfileOptions,
  home: string | undefined,
  env = process.env,
): Profile {
  const stored = readProfiles(home, env);
  const chosen = options.profile === undefined ? undefined : named(stored, options.profile);
  // An explicit profile wins over the environment.
  const { ROSTER_API_KEY: envKey, ROSTER_URL: envUrl } = chosen ? {} : env;
  const apiKey =
    options.apiKeyFile === undefined
      ? envKey && cleanKey(envKey, 'ROSTER_API_KEY')
      : readKey(options.apiKeyFile);
  const url =
    options.url === undefined
      ? envUrl && cleanUrl(envUrl, 'ROSTER_URL')
      : cleanUrl(options.url, '--url');

  const profile = chosen ?? (url ? profileOf(stored, url) : current(stored));
  if (apiKey) {
    const address = url || profile?.url;
    if (address === undefined)
      throw new UsageError('The address of Roster is missing: set ROSTER_URL, or pass --url.');
    return { url: address, apiKey };
  }
  if (!profile)
    throw new UsageError(
      url
        ? `No profile has the key of ${url}: run \`roster login --url ${url}\`, or set ROSTER_API_KEY.`
        : 'No profile is stored: run `roster login`, or set ROSTER_URL and ROSTER_API_KEY.',
    );
  if (url && profile.url !== url)
    throw new UsageError(
      `The key of the profile "${profile.name}" belongs to ${profile.url}, and is not sent to ${url}: omit --url, or pass --api-key-file.`,
    );
  return profile;
}

function named(stored: Profiles, name: string): Profile {
  const found = Object.hasOwn(stored.profiles, name) ? stored.profiles[name] : undefined;
  if (found) return { ...found, name };
  const names = Object.keys(stored.profiles).join(', ') || 'none';
  throw new UsageError(`There is no profile "${name}". Stored profiles: ${names}.`);
}

const current = (stored: Profiles): Profile | undefined =>
  stored.current === undefined ? undefined : named(stored, stored.current);

/** The profile of a URL: the current one if several have it. */
function profileOf(stored: Profiles, url: string): Profile | undefined {
  const names = Object.keys(stored.profiles).filter((name) => stored.profiles[name]?.url === url);
  const name = names.find((one) => one === stored.current) ?? names[0];
  return name === undefined ? undefined : named(stored, name);
}

/** @throws UsageError unless it is an address of Roster, which is returned without a final slash */
export function cleanUrl(text: string, from: string): string {
  const full = text.includes('://') ? text : `https://${text}`;
  const parsed = URL.canParse(full) ? new URL(full) : undefined;
  if (
    !parsed ||
    !/^https?:$/.test(parsed.protocol) ||
    parsed.username ||
    parsed.password ||
    parsed.search ||
    parsed.hash
  )
    throw new UsageError(
      `${from} must be an address such as https://roster.example.com, not "${text}".`,
    );
  return parsed.href.replace(/\/+$/, '');
}

/** @throws UsageError unless it can be a key. The text is not repeated: it may be another secret. */
export function cleanKey(text: string, from: string): string {
  const key = text.trim();
  if (/^rs[kt]_[\x21-\x7e]+$/.test(key)) return key;
  throw new UsageError(`${from} does not contain an API key, which begins with rsk_.`);
}

export function readKey(file: string): string {
  try {
    return cleanKey(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function readFile(file: string): Profiles | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    const { current, profiles } = JSON.parse(text) as Partial<Profiles>;
    if (profiles === undefined || profiles === null) throw new Error('no profiles');
    return { ...(current !== undefined && { current }), profiles };
  } catch {
    throw new UsageError(
      `${file} is not a file of profiles: correct it, or remove it and run \`roster login\`.`,
    );
  }
}
