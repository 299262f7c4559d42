import { Page } from '../../parts/page.js';

export const Users = () => <Page title="Users">{null}</Page>;
