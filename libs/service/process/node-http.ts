/**
 * `node:http`, by require: an import makes a variable of each of its names at once, and one of them, `WebSocket`, is only there
 * after Node has loaded its HTTP client, two MiB of every process.
 */
export const http = process.getBuiltinModule('node:http');
