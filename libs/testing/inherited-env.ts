const { PATH, NODE_COMPILE_CACHE } = process.env;

/** What a process under test inherits, besides what the test sets: the programs, and compiled code, which saves a third of its start. */
export const inheritedEnv: Readonly<NodeJS.ProcessEnv> = {
  PATH,
  ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
};
