export const schema = 'dispatcher';
