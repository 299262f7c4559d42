import { Page } from '../../parts/page.js';

export const Webhooks = () => <Page title="Webhooks">{null}</Page>;
