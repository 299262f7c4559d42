export { openInBrowser } from './open-in-browser.js';
export { createProgram, runProgram, type ProgramOptions } from './program.js';
export { type Profiles } from './profiles.js';
