import { Router } from '@koa/router';
import Koa from 'koa';
import { contactRoutes } from './contacts.js';
import type { Monolith } from './monolith.js';
import { observe } from './observe.js';
import type { State } from './state.js';
import { userRoutes } from './users.js';

export function openApp(monolith: Monolith): Koa<State> {
  const app = new Koa<State>();
  const router = new Router<State>({ prefix: '/v1', sensitive: true, strict: true });
  contactRoutes(router, monolith);
  userRoutes(router, monolith);
  app.use(observe(monolith.log));
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}
