import { RequestErrors } from '@groupware/contracts';

/** Ids of the groups that a client resolved itself, each once. @throws SVL-0010 for what is no comma list of ids */
export function parseUsedGroups(text = ''): number[] {
  const ids = text.split(',').map((each) => each.trim());
  for (const id of ids) if (!/^\d{0,9}$/.test(id)) throw RequestErrors.badParameter('usedGroups', text);
  return [...new Set(ids.filter((id) => id !== '').map(Number))];
}
