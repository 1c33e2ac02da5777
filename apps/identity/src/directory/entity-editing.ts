import { DIRECTORY_RIGHTS, recordCheck, type CatalogueError, type UserPrincipal } from '@groupware/contracts';

/** Right and capability for editing groups and resources of the context. */
const EDITING = {
  group: { right: DIRECTORY_RIGHTS.editGroups, capability: 'edit_group' },
  resource: { right: DIRECTORY_RIGHTS.editResources, capability: 'edit_resource' },
} as const;

/** Refuses a user who may not edit groups or resources. */
export function requireMayEdit(
  kind: keyof typeof EDITING,
  { capabilities }: UserPrincipal,
  refusal: () => CatalogueError,
): void {
  const { right, capability } = EDITING[kind];
  recordCheck(right);
  if (!capabilities.includes(capability)) throw refusal();
}
