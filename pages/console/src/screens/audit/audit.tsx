import { Page } from '../../parts/page.js';

export const AuditLog = () => <Page title="Audit log">{null}</Page>;
