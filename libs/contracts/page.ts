/** Maximum number of contacts or deliveries on a page. */
export const pageMax = 100;
