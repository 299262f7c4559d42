import { Page } from '../../parts/page.js';

export const Deliveries = () => <Page title="Deliveries">{null}</Page>;
