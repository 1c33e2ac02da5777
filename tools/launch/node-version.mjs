import fs from 'node:fs';

/**
 * Answers the text for a person whose Node is too old, else undefined.
 * @param {string} version such as `18.20.4`
 * @param {string} wanted such as `>=20.19.0`
 */
export function refusalOfNode(version, wanted) {
  const numbers = (text) => text.replace(/^\D*/, '').split('.').map(Number);
  const [has, needs] = [numbers(version), numbers(wanted)];
  const differs = needs.findIndex((number, index) => has[index] !== number);
  if (differs === -1 || has[differs] > needs[differs]) return undefined;
  return `This is Node ${version}, but Node ${needs.join('.')} or later is needed: https://nodejs.org`;
}

// Imported before anything else by every command, so that an old Node ends with this and not with a stack trace.
const { engines } = JSON.parse(fs.readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const refusal = refusalOfNode(process.versions.node, engines.node);
if (refusal) {
  console.error(refusal);
  process.exit(1);
}
