import { Page } from '../../parts/page.js';

export const Events = () => <Page title="Events">{null}</Page>;
