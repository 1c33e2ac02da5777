import { MODULE_ALIASES, operations } from '@groupware/contracts';

/** A module by all of its names. */
const namesOf = (module: string): string[] => [
  module,
  ...Object.entries(MODULE_ALIASES).flatMap(([alias, of]) => (of.module === module ? [alias] : [])),
];

/** Calls for which the public session is enough; the paths of downloads may go on with the name of the file. */
const PUBLIC_CALLS = operations
  .filter(({ publicSession }) => publicSession)
  .flatMap(({ module, action, reply }) =>
    namesOf(module).map((name) => ({ name, action: action ?? '', isDownload: reply.kind === 'file' })),
  );

/**
 * Whether the public session is enough for a call.
 * @param path path below the base of the client API
 */
export const takesPublicSession = (path: string, action = ''): boolean =>
  PUBLIC_CALLS.some(
    (call) => call.action === action && (path === call.name || (call.isDownload && path.startsWith(`${call.name}/`))),
  );
