import type { SieveArgument, SieveCommand, SieveTest } from './syntax';

/** Line end of scripts (RFC 5228, section 2.2). */
export const LINE_END = '\r\n';

/**
 * A string between quotes. Nothing in it can end it early.
 * @param value without NUL and lone surrogates, which no script can hold
 */
export const quote = (value: string): string => `"${value.replace(/[\\"]/g, '\\$&')}"`;

/** The text of commands, one below the other. */
export function writeCommands(commands: readonly SieveCommand[], indent = ''): string {
  return commands.map((command) => writeCommand(command, indent)).join('');
}

function writeCommand(command: SieveCommand, indent: string): string {
  const head = `${indent}${writeTest(command)}`;
  if (!command.block) return `${head} ;${LINE_END}`;
  const block = writeCommands(command.block, `${indent}    `);
  return `${head}${LINE_END}${indent}{${LINE_END}${block}${indent}}${LINE_END}`;
}

function writeTest({ name, arguments: values, tests }: SieveTest): string {
  return [name, ...values.map(writeArgument), ...writeTests(name, tests)].join(' ');
}

function writeTests(name: string, tests: readonly SieveTest[]): string[] {
  if (tests.length === 0) return [];
  // One test in brackets is a list for allof and anyof, which want one.
  if (tests.length === 1 && name !== 'allof' && name !== 'anyof') return [writeTest(tests[0]!)];
  return [`( ${tests.map(writeTest).join(', ')} )`];
}

function writeArgument(argument: SieveArgument): string {
  switch (argument.kind) {
    case 'tag':
      return `:${argument.name}`;
    case 'number':
      return String(argument.value);
    case 'text':
      return quote(argument.value);
    case 'list':
      return `[ ${argument.values.map(quote).join(', ')} ]`;
  }
}
