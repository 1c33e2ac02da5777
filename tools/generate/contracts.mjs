import { Refusal } from './checkout.mjs';
import { SourceText } from './source-text.mjs';

const folder = 'libs/contracts/src';

/** Source files of the contracts whose names end in a suffix such as `.contract.ts`. */
const files = (checkout, suffix) =>
  checkout.names(folder).flatMap((name) =>
    checkout
      .names(`${folder}/${name}`)
      .filter((file) => file.endsWith(suffix))
      .map((file) => `${folder}/${name}/${file}`),
  );

/**
 * Finds the declaration of a module of the API.
 * @param {import('./checkout.mjs').Checkout} checkout
 * @param {string} module as the URL names it
 * @returns {{ file: string, constant: string, service: string, keys: string[], text: string }}
 */
export function contractOf(checkout, module) {
  const found = files(checkout, '.contract.ts').flatMap((file) =>
    new SourceText(checkout.read(file))
      .calls('defineModule')
      .filter(({ name }) => name === module)
      .map((call) => ({ file, ...call, service: /service: '([^']+)'/.exec(call.text)?.[1] ?? module })),
  );
  if (!found.length) throw new Refusal(`no contract declares the module ${module} (defineModule('${module}', …))`);
  const own = found.find(({ file }) => file.endsWith(`/${module.replaceAll('/', '-')}.contract.ts`)) ?? found[0];
  return { ...own, keys: found.flatMap(({ keys }) => keys) };
}

/**
 * Every error table.
 * @returns {{ file: string, constant: string, prefix: string, keys: string[], numbers: number[] }[]}
 */
export const catalogues = (checkout) =>
  files(checkout, '.errors.ts').flatMap((file) =>
    new SourceText(checkout.read(file)).calls('errorCatalog').map(({ constant, name, keys, text }) => ({
      file,
      constant,
      prefix: name,
      keys,
      numbers: [...text.matchAll(/\bnumber: (\d+)/g)].map(([, number]) => Number(number)),
    })),
  );

/** The reference of the public API: `operations`, `errors`. */
export const reference = (checkout, name) => JSON.parse(checkout.read(`libs/contracts/reference/${name}.json`));
