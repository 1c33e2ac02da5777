import fs from 'node:fs';
import path from 'node:path';

/** Part of every call, or read by the upload code. */
const COMMON = new Set(['session', 'callback', 'file', 'json_0', 'file_0']);

/**
 * Parameters that the reference of the API documents for an operation and that its contract does not declare: they are ignored.
 * @param {object} contracts the exports of the contracts package
 * @param {string} root the checkout
 * @returns {{ operation: string, field: string }[]}
 */
export function undeclaredInputs({ operations, fieldsOf }, root) {
  const file = path.join(root, 'libs', 'contracts', 'reference', 'operations.json');
  const reference = JSON.parse(fs.readFileSync(file, 'utf8'));
  return operations
    .filter(({ kind }) => kind === 'action')
    .flatMap((operation) => {
      const { module, action, http, name } = operation;
      const known = reference.find(
        (entry) =>
          entry.method === http &&
          (action === null ? entry.path === `/${module}` : entry.module === module && entry.action === action),
      );
      // Variants of one action share its documentation: a parameter is for those that declare it.
      const variants = operations.filter(
        (other) => other.kind === 'action' && other.module === module && other.action === action && other.http === http,
      );
      const declared = new Set(
        variants
          .flatMap((variant) => [variant.query, variant.body?.model])
          .flatMap((model) => (model ? fieldsOf(model).map(({ wireName }) => wireName) : [])),
      );
      return (known?.params ?? [])
        .filter((parameter) => !COMMON.has(parameter.name) && !declared.has(parameter.name))
        .map((parameter) => ({ operation: `${module}.${name}`, field: parameter.name }));
    });
}
