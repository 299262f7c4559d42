import { Page } from '../../parts/page.js';

export const Settings = () => <Page title="Settings">{null}</Page>;
