export { extensionsOf } from './extensions';
export { MAX_NESTING, parseCommands } from './parser';
export { isMark, type RuleMark } from './rule-mark';
export {
  changeCommands,
  changeMark,
  makeRule,
  readScript,
  writeScript,
  type ScriptRule,
  type SieveScript,
} from './script';
export { SieveSyntaxError } from './sieve-error';
export { list, number, tag, text, type SieveArgument, type SieveCommand, type SieveTest } from './syntax';
export { LINE_END, writeCommands } from './writer';
