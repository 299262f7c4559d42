/**
 * `node:http` by require. An import evaluates all its exports, of which `WebSocket` makes Node load its HTTP client: 2 MiB
 * per process.
 */
export const http = process.getBuiltinModule('node:http');
