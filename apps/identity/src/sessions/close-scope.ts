import { RestErrors, type CloseSessionsQuery } from '@groupware/contracts';

/** Refuses to close sessions of one node only: all nodes share them, none belongs to a node. */
export function requireGlobal({ global }: CloseSessionsQuery): void {
  if (global === false) throw RestErrors.invalid('global=false is not offered: sessions belong to no node');
}
