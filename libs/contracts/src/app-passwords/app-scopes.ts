import type { Operation } from '../kit';

/** Stems of scopes by module; a `-` means that no application password opens the module. */
const STEMS: Readonly<Record<string, string>> = {
  folders: 'folders',
  mail: 'mail',
  'mail/compose': 'mail',
  'mail/categories': 'mail',
  mailfilter: 'mail',
  'mailfilter/v2': 'mail',
  account: 'mailaccount',
  calendar: 'calendar',
  chronos: 'calendar',
  'chronos/account': 'calendar',
  'chronos/alarm': 'calendar',
  'chronos/availability': 'calendar',
  'chronos/itip': 'calendar',
  freebusy: 'calendar',
  contacts: 'contacts',
  addressbooks: 'contacts',
  files: 'files',
  infostore: 'files',
  fileaccount: 'files',
  fileservice: 'files',
  drive: 'drive',
  tasks: 'tasks',
  reminder: 'reminder',
  snippet: 'userconfig',
  appPasswords: '-',
  'multifactor/provider': '-',
  'multifactor/device': '-',
};

/** Actions that only read although they are sent as PUT. */
const READS: ReadonlySet<string> = new Set([
  'all',
  'list',
  'get',
  'search',
  'advancedSearch',
  'updates',
  'autocomplete',
  'query',
  'freeBusy',
  'freebusy',
  'path',
  'versions',
  'count',
  'examine',
]);

/** The scope an application password needs for an operation; undefined for free ones, null where none is enough. */
export function appScopeOf(operation: Pick<Operation, 'module' | 'http' | 'action'>): string | null | undefined {
  const stem = Object.hasOwn(STEMS, operation.module) ? STEMS[operation.module] : undefined;
  if (stem === undefined) return undefined;
  if (stem === '-') return null;
  const reads = operation.http === 'GET' || READS.has(operation.action ?? '');
  // Signatures and the like: everybody may read them.
  if (stem === 'userconfig') return reads ? undefined : 'write_userconfig';
  return `${reads ? 'read' : 'write'}_${stem}`;
}
