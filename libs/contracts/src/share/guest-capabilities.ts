/** Kinds of guests. */
export type GuestKind = 'named' | 'anonymous';

/**
 * Capabilities of guests: the modules of what is shared with them, in which permissions decide, and the sight of folders of others.
 * Named ones change their password.
 */
export const listGuestCapabilities = (kind: GuestKind, modules: Iterable<string>): string[] => [
  ...new Set(modules),
  ...(kind === 'named' ? ['edit_password'] : ['anonymous']),
  'guest',
  'read_create_shared_folders',
];
