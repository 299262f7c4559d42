import { Page } from '../../parts/page.js';

export const Imports = () => <Page title="Imports">{null}</Page>;
