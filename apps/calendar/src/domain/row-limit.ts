import { RequestErrors } from '@groupware/contracts';

const LIMIT = /^(?:(\d{1,9}),)?(\d{1,9})$/;

/** The rows that a `limit` of `to` or `from,to` asks for, counted from 0, `to` exclusive; anything else is SVL-0010. */
export function parseRowLimit(limit: string): { readonly from: number; readonly to: number } {
  const [, from = '0', to] = LIMIT.exec(limit) ?? [];
  if (to === undefined || Number(from) > Number(to)) throw RequestErrors.badParameter('limit', limit);
  return { from: Number(from), to: Number(to) };
}
