import {
  Activity,
  FileUp,
  KeyRound,
  ScrollText,
  Send,
  Settings,
  UserRound,
  Users,
  Webhook,
  type LucideIcon,
} from 'lucide-react';
import { createElement, lazy, useState, type ComponentType } from 'react';

interface Screen {
  /** The entry of the navigation. */
  label: string;
  /** `/contacts`. */
  href: string;
  /** Pattern of the addresses of the screen, for wouter. */
  path: string;
  Icon: LucideIcon;
  /** `g` and this key open the screen. */
  key: string;
  Screen: ComponentType & { load: () => Promise<unknown> };
}

/** A screen is loaded when it is opened first. */
function screen(load: () => Promise<ComponentType>): Screen['Screen'] {
  let loaded: ComponentType | undefined;
  const read = async () => (loaded ??= await load());
  const Lazy = lazy(async () => ({ default: await read() }));
  // One that is there is not suspended: React shows what was suspended after 300 ms at the earliest.
  const Loaded = () => createElement(useState<ComponentType>(() => loaded ?? Lazy)[0]);
  return Object.assign(Loaded, { load: read });
}

/** Loads the screen of an address, `/webhooks/…`, before it is shown. */
export async function loadScreen(path: string): Promise<void> {
  const found = routes.find(({ href }) => path === href || path.startsWith(`${href}/`));
  // Shown with the reason, if it is missing then too.
  await (found ?? routes[0]!).Screen.load().catch(() => undefined);
}

/** The screens, in the order of the navigation. The first four are in the bar of a phone, the others behind its fifth button. */
export const routes: Screen[] = [
  {
    label: 'Contacts',
    href: '/contacts',
    path: '/contacts/:id?',
    Icon: Users,
    key: 'c',
    Screen: screen(async () => (await import('../screens/contacts/contacts.js')).Contacts),
  },
  {
    label: 'Webhooks',
    href: '/webhooks',
    path: '/webhooks/:id?/:delivery?',
    Icon: Webhook,
    key: 'w',
    Screen: screen(async () => (await import('../screens/webhooks/webhooks.js')).Webhooks),
  },
  {
    label: 'Deliveries',
    href: '/deliveries',
    path: '/deliveries/:id?',
    Icon: Send,
    key: 'd',
    Screen: screen(async () => (await import('../screens/deliveries/deliveries.js')).Deliveries),
  },
  {
    label: 'Events',
    href: '/events',
    path: '/events/:id?',
    Icon: Activity,
    key: 'e',
    Screen: screen(async () => (await import('../screens/events/events.js')).Events),
  },
  {
    label: 'Imports',
    href: '/imports',
    path: '/imports/:id?',
    Icon: FileUp,
    key: 'i',
    Screen: screen(async () => (await import('../screens/imports/imports.js')).Imports),
  },
  {
    label: 'Keys',
    href: '/keys',
    path: '/keys',
    Icon: KeyRound,
    key: 'k',
    Screen: screen(async () => (await import('../screens/keys/keys.js')).Keys),
  },
  {
    label: 'Users',
    href: '/users',
    path: '/users',
    Icon: UserRound,
    key: 'u',
    Screen: screen(async () => (await import('../screens/users/users.js')).Users),
  },
  {
    label: 'Audit log',
    href: '/audit',
    path: '/audit',
    Icon: ScrollText,
    key: 'a',
    Screen: screen(async () => (await import('../screens/audit/audit.js')).AuditLog),
  },
  {
    label: 'Settings',
    href: '/settings',
    path: '/settings',
    Icon: Settings,
    key: 's',
    Screen: screen(async () => (await import('../screens/settings/settings.js')).Settings),
  },
];
