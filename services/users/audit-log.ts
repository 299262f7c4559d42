import { AuditLog } from '@roster/storage';
import { schema } from './service.js';

/** What this service records. */
export const auditLog = new AuditLog(schema);
