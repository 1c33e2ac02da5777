import './launch/node-version.mjs';
import { parseArgs } from 'node:util';
import { Checkout, Refusal } from './generate/checkout.mjs';
import { generators } from './generate/generators.mjs';
import { root } from './launch/workspace.mjs';

// npm run generate -- module tasks | action calendar resolve | error calendar notWritable
const optionsOf = ({ options }) => Object.keys(options).map((name) => ` [--${name} …]`);
const usage = Object.entries(generators)
  .map(([kind, it]) => `npm run generate -- ${kind} ${it.names.join(' ')}${optionsOf(it).join('')}\n    ${it.about}`)
  .join('\n');

async function main([kind, ...rest]) {
  const generator = Object.hasOwn(generators, kind ?? '') ? generators[kind] : undefined;
  if (!generator) throw new Refusal(usage);
  let given;
  try {
    given = parseArgs({ args: rest, options: generator.options, allowPositionals: true });
  } catch (error) {
    throw new Refusal(`${error.message}\n${usage}`);
  }
  if (given.positionals.length !== generator.names.length) throw new Refusal(usage);
  const checkout = new Checkout(root);
  const steps = generator.run(checkout, given.positionals, given.values);
  for (const file of await checkout.write()) console.log(`written: ${file}`);
  console.log(`next:\n${steps.map((step) => `  - ${step}`).join('\n')}`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}
