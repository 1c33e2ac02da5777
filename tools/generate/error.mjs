import { Refusal } from './checkout.mjs';
import { catalogues, reference } from './contracts.mjs';
import { pascal, sentence } from './names.mjs';
import { SourceText } from './source-text.mjs';

const categories = [
  'USER_INPUT',
  'CONFIGURATION',
  'PERMISSION_DENIED',
  'TRY_AGAIN',
  'SERVICE_DOWN',
  'ERROR',
  'CONFLICT',
];
const german = 'libs/contracts/src/locales/de.json';

/**
 * Adds an error to the table of a module, with its German text.
 * @param {import('./checkout.mjs').Checkout} checkout
 * @param {[module: string, name: string]} wanted module: of the contracts folder
 * @param {{ catalogue?: string, number?: string, category?: string, message?: string, german?: string }} options
 * @returns {string[]} what remains to be done
 */
export function generateError(checkout, [module, name], options) {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) throw new Refusal(`${name} is no name of an error: notWritable would be one`);
  const all = catalogues(checkout);
  const near = all.filter(({ file }) => file.startsWith(`libs/contracts/src/${module}/`));
  const wanted = options.catalogue ?? `${pascal(module)}Errors`;
  const table = near.find(({ constant }) => constant === wanted) ?? (options.catalogue ? undefined : near[0]);
  if (!table)
    throw new Refusal(
      `libs/contracts/src/${module} has no error table ${wanted}${near.length ? `, but ${near.map((each) => each.constant).join(', ')}` : ''}`,
    );
  if (table.keys.includes(name)) throw new Refusal(`${table.constant}.${name} is there already`);

  const known = reference(checkout, 'errors').filter(({ code }) => code.startsWith(`${table.prefix}-`));
  const used = [
    ...all.filter(({ prefix }) => prefix === table.prefix).flatMap(({ numbers }) => numbers),
    ...known.map(({ code }) => Number(code.slice(table.prefix.length + 1))),
  ];
  const number = options.number === undefined ? nextFree(table.numbers, used) : Number(options.number);
  if (!Number.isInteger(number) || number < 1) throw new Refusal(`--number ${options.number} is no number of an error`);
  if (all.some((each) => each.prefix === table.prefix && each.numbers.includes(number)))
    throw new Refusal(`the number ${number} is taken in ${table.prefix}`);
  const ofReference = known.find(({ code }) => Number(code.slice(table.prefix.length + 1)) === number);
  const category = options.category ?? ofReference?.category ?? 'USER_INPUT';
  if (!categories.includes(category)) throw new Refusal(`--category is one of ${categories.join(', ')}`);

  const message = options.message ?? `${sentence(name)}: %1.`;
  const row = `${name}: { number: ${number}, category: '${category}', message: ${JSON.stringify(message)} }`;
  checkout.edit(table.file, (text) => {
    const source = new SourceText(text);
    source.addToCall('errorCatalog', table.constant, row);
    return source.toString();
  });
  checkout.editJson(german, (texts) => {
    texts[`${table.prefix}.${name}`] = options.german ?? `Nicht möglich (${name}): %1.`;
  });
  const code = `${table.prefix}-${String(number).padStart(4, '0')}`;
  return [
    `write number, category and text of ${code} in ${table.file}`,
    ...(options.german ? [] : [`write the German text of ${table.prefix}.${name} in ${german}`]),
    `throw ${table.constant}.${name}(…) and name it in the \`errors\` of the operations that answer it`,
    'npm run docs',
  ];
}

/** The first number after those of a table that nothing with its prefix uses. */
function nextFree(own, used) {
  let number = Math.max(0, ...own) + 1;
  while (used.includes(number)) number += 1;
  return number;
}
