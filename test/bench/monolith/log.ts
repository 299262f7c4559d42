import { pino, type Logger } from 'pino';

export const openLog = (): Logger =>
  pino({
    name: 'monolith',
    level: 'info',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
