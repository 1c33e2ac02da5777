import { generateAction } from './action.mjs';
import { generateError } from './error.mjs';
import { generateModule } from './module.mjs';

const text = { type: 'string' };
/** Generators, each by its word on the command line. */
export const generators = {
  module: {
    names: ['<name>'],
    options: { prefix: text },
    about: 'a module: contract, app with a table and two operations, specs, host line, deployment',
    run: generateModule,
  },
  action: {
    names: ['<module>', '<action>'],
    options: { method: text },
    about: 'an operation: declaration, handler and its specs; what the API reference knows of it is filled in',
    run: generateAction,
  },
  error: {
    names: ['<contracts folder>', '<name>'],
    options: { catalogue: text, number: text, category: text, message: text, german: text },
    about: 'a row of an error table, with its German text',
    run: generateError,
  },
};
